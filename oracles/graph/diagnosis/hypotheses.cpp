// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/diagnosis/hypotheses.h"

#include <utility>

#include "core/error.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof::diagnosis {
namespace {

/// What the changed claim computes, with its bound. A change may ask for what the language or the
/// oracle refuses.
std::optional<Prediction> computed(const Changed& changed, const Tensor& like) {
  try {
    const GraphTruths found = truths_of_graph(changed.claim, changed.inputs, changed.name, like);
    Prediction predicted;
    for (std::size_t i = 0; i < found.truths.size(); ++i) {
      const Truth truth = found.truths.at(i);
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
  return {std::move(text), rank,
          [change = std::move(change)](const WrongTensor& asked) -> std::optional<Prediction> {
            const std::optional<Changed> changed = change(asked);
            if (!changed) return std::nullopt;
            return computed(*changed, asked.got);
          }};
}

GraphHypothesis changed_graph(std::string text, Graph graph) {
  return changed_to(std::move(text), [graph = std::move(graph)](const WrongTensor& asked) {
    std::optional<Changed> changed{{asked.claim, asked.inputs, asked.name}};
    changed->claim.graph = graph;
    return changed;
  });
}

GraphHypotheses hypotheses_about(const WrongTensor& whole) {
  GraphHypotheses all;
  for (const auto family :
       {add_factors, add_cotangents, add_tensors, add_numbers, add_stages, add_formulas, add_sums})
    family(whole, all);
  return all;
}

}  // namespace gradproof::diagnosis
