// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/diagnosis/hypotheses.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/graph/name_rules.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof::diagnosis {
namespace {

/// False if the change left out the tensor whose gradient is asked for.
bool has_target(const Changed& changed) {
  const Graph& graph = changed.claim.graph;
  return has_name(graph.outputs, changed.name) ||
         std::ranges::any_of(graph.tensors, [&](const GraphTensor& tensor) {
           return gradient_name(tensor.name) == changed.name;
         });
}

/// The numbers of the changed claim, with their bound. Returns nullopt if the target is gone, or if
/// the language or the oracle refuses the changed claim.
std::optional<Prediction> computed(const Changed& changed, const Tensor& like) {
  if (!has_target(changed)) return std::nullopt;
  try {
    const JudgedTensors asked{{changed.name, &like}};
    const auto all = truths_of_graph(changed.claim, changed.inputs, asked);
    const auto found = all.find(changed.name);
    if (found == all.end()) return std::nullopt;  // nothing goes back to the tensor any more
    Prediction predicted;
    const Truths& truths = found->second.truths;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      const Truth truth = truths.at(i);
      predicted.push_back({LongDouble(truth.hi) + LongDouble(truth.lo), truth.bound});
    }
    return predicted;
  } catch (const UsageError&) {
    return std::nullopt;
  } catch (const InstrumentError&) {
    return std::nullopt;
  }
}

}  // namespace

GraphHypothesis changed_to(std::string text, Change change, GraphRank rank) {
  return {std::move(text), rank, false,
          [change = std::move(change)](const WrongTensor& asked) -> std::optional<Prediction> {
            const std::optional<Changed> changed = change(asked);
            if (!changed) return std::nullopt;
            return computed(*changed, asked.got);
          }};
}

GraphHypothesis changed_graph(std::string text, Graph graph, GraphRank rank) {
  const auto change = [graph = std::move(graph)](const WrongTensor& asked) {
    std::optional<Changed> changed{{asked.claim, asked.inputs, asked.name}};
    changed->claim.graph = graph;
    return changed;
  };
  return changed_to(std::move(text), change, rank);
}

GraphHypotheses hypotheses_about(const WrongTensor& whole) {
  GraphHypotheses all;
  for (const auto family : {add_factors, add_counts, add_cotangents, add_adjoints, add_tensors,
                            add_numbers, add_stages, add_formulas, add_sums})
    family(whole, all);
  std::ranges::stable_sort(all, {}, &GraphHypothesis::rank);
  return all;
}

}  // namespace gradproof::diagnosis
