// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/summed_product.h"

#include <algorithm>
#include <cmath>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

std::size_t place_at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The only step that takes the tensor, which adds or multiplies it; null otherwise.
const GraphStep* user_of(const Graph& graph, const std::string& tensor) {
  const GraphStep* user = nullptr;
  for (const GraphStep& step : graph.steps) {
    if (!step.takes(tensor)) continue;
    if (user != nullptr) return nullptr;
    user = &step;
  }
  if (user == nullptr || user->operands.size() != 2 || user->operands[0] == user->operands[1])
    return nullptr;
  const GraphStage& stage = graph_stage(user->stage);
  return stage.is_summand() || stage.is_factor() ? user : nullptr;
}

}  // namespace

std::optional<SummedProduct> summed_product(const WrongTensor& whole) {
  if (whole.nodes == nullptr) return std::nullopt;
  const std::string tensor = tensor_of_gradient(whole.name);
  const GraphStep* const user = user_of(whole.nodes->graph, tensor);
  if (user == nullptr) return std::nullopt;
  SummedProduct product;
  product.cotangent = whole.nodes->find(user->value);
  if (product.cotangent == nullptr || product.cotangent->cotangent.empty()) return std::nullopt;
  const GraphStage& stage = graph_stage(user->stage);
  const std::size_t own = user->operands[0].name == tensor ? 0 : 1;
  if (stage.is_factor()) {
    product.factor = whole.nodes->find(user->operands[1 - own].name);
    if (product.factor == nullptr || product.factor->axes != product.cotangent->axes)
      return std::nullopt;
  } else if (stage.operands[own].subtracted) {
    product.sign = -1;
  }
  const std::vector<std::string> kept = whole.axes();
  for (const std::string& axis : product.cotangent->axes)
    if (!has_name(kept, axis)) product.axes.push_back(axis);
  if (product.axes.empty()) return std::nullopt;
  product.places = places_between(whole.claim.extents, product.cotangent->axes, kept);
  product.count = whole.entries.size();
  return product;
}

SumsOfEntries partial_sums(const SummedProduct& product, const Line& line) {
  SumsOfEntries all(product.count);
  for (PartialSums& of : all) {
    of.values.resize(place_at(line.extent + 1));
    of.sizes.resize(place_at(line.extent + 1));
  }
  for (std::size_t i = 0; i < product.places.size(); ++i) {
    PartialSums& of = all[place_at(product.places[i])];
    const std::size_t next = place_at(line.along(static_cast<std::int64_t>(i)) + 1);
    const LongDouble term = product.term(i);
    of.values[next] += term;
    of.sizes[next] += static_cast<double>(std::fabs(term));
  }
  for (PartialSums& of : all)
    for (std::size_t k = 1; k < of.values.size(); ++k) {
      of.values[k] += of.values[k - 1];
      of.sizes[k] += of.sizes[k - 1];
    }
  return all;
}

}  // namespace gradproof::diagnosis
