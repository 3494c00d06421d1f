// SPDX-License-Identifier: Apache-2.0
// These hypotheses change cotangents or tensors, but nothing of the graph.
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

/// The tensor with the function applied to each of its numbers.
template <class Function>
Tensor mapped(const Tensor& tensor, const Function& function) {
  return made_of(tensor, [&](std::int64_t i) { return function(tensor.at(i)); });
}

Tensor transposed(const Tensor& square) {
  const std::int64_t side = square.shape().front();
  return made_of(square, [&](std::int64_t i) { return square.at(i % side * side + i / side); });
}

bool is_number_tensor(const WrongTensor& whole, const GraphTensor& tensor) {
  const auto found = whole.inputs.find(tensor.name);
  return found != whole.inputs.end() && found->second.dtype() != DType::i64;
}

/// The numbers that, in place of the tensor, leave a step that takes it without effect.
std::set<double> identities_of(const Graph& graph, const std::string& tensor) {
  std::set<double> found;
  for (const GraphStep& step : graph.steps) {
    const GraphStage& stage = graph_stage(step.stage);
    // The first operand of a sum or a product may be left out as the second one may.
    const bool is_symmetric = stage.is_factor() || stage.is_summand();
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      if (step.operands[k].name != tensor) continue;
      const double identity = stage.operands[is_symmetric ? 1 : k].identity;
      if (!std::isnan(identity)) found.insert(identity);
    }
  }
  return found;
}

void add_one_tensor(const WrongTensor& whole, const GraphTensor& tensor, Hypotheses& all) {
  const std::string& name = tensor.name;
  const Tensor& now = get(whole.inputs, name);
  const auto add = [&](std::string text, auto function) {
    all.push_back(changed_tensor(std::move(text), name,
                                 [function](const Tensor& t) { return mapped(t, function); }));
  };
  for (const double identity : identities_of(whole.claim.graph, name)) {
    add(fmt::format("{} is left out, as if it were {}", name, identity),
        [identity](double) { return identity; });
    if (identity == 1)
      add(fmt::format("1 + {0} is taken for {0}", name), [](double number) { return 1 + number; });
  }
  if (now.numel() > 1)
    add(fmt::format("the first number of {} is taken for all of it", name),
        [first = now.at(0)](double) { return first; });
  if (now.shape().size() == 2 && now.shape()[0] == now.shape()[1] && now.shape()[0] > 1)
    all.push_back(changed_places(fmt::format("{} is read transposed", name), name, transposed));
}

Change exchanged(const std::string& one, const std::string& other) {
  return [one, other](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    std::swap(changed->inputs.at(one), changed->inputs.at(other));
    return changed;
  };
}

/// Puts the gradient of one tensor in the place of another's.
Change gradient_of(const std::string& other) {
  return [other](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    changed->name = gradient_name(other);
    return changed;
  };
}

}  // namespace

void add_cotangents(const WrongTensor& whole, Hypotheses& all) {
  if (!whole.is_gradient()) return;
  std::vector<std::string> outputs = whole.claim.graph.outputs;
  std::erase_if(outputs, [&](const std::string& output) {
    return !whole.inputs.contains(cotangent_name(output));
  });
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name = cotangent_name(outputs[k]);
    const auto add = [&](std::string text, auto function) {
      all.push_back(changed_tensor(
          std::move(text), name, [function](const Tensor& t) { return mapped(t, function); },
          Rank::way_back));
    };
    add(name + " is multiplied in twice", [](double number) { return number * number; });
    add("ones are taken for " + name, [](double) { return 1.0; });
    if (outputs.size() == 1) continue;
    add(name + " is left out", [](double) { return 0.0; });
    for (std::size_t other = k + 1; other < outputs.size(); ++other) {
      const std::string second = cotangent_name(outputs[other]);
      if (whole.claim.graph.axes_of(outputs[k]) == whole.claim.graph.axes_of(outputs[other]))
        all.push_back(changed_to(fmt::format("{} and {} are exchanged", name, second),
                                 exchanged(name, second), Rank::way_back));
    }
  }
}

void add_tensors(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  for (const std::string& output : graph.outputs)
    if (!whole.is_gradient() && output != whole.name &&
        graph.axes_of(output) == graph.axes_of(whole.name))
      all.push_back(changed_to(fmt::format("it is the output {}", output),
                               [output](const WrongTensor& asked) {
                                 std::optional<Changed> changed{unchanged(asked)};
                                 changed->name = output;
                                 return changed;
                               }));
  const std::vector<GraphTensor>& tensors = whole.claim.graph.tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (!is_number_tensor(whole, tensors[k])) continue;
    add_one_tensor(whole, tensors[k], all);
    for (std::size_t other = 0; other < tensors.size(); ++other) {
      const GraphTensor &one = tensors[k], &second = tensors[other];
      if (one.axes != second.axes || other == k || !is_number_tensor(whole, second)) continue;
      if (other > k)
        all.push_back(changed_to(fmt::format("{} and {} are exchanged", one.name, second.name),
                                 exchanged(one.name, second.name)));
      if (whole.name == gradient_name(one.name))
        all.push_back(changed_to(fmt::format("it is the gradient of {}", second.name),
                                 gradient_of(second.name), Rank::way_back));
    }
  }
}

}  // namespace gradproof::diagnosis
