// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/compare/verdict.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/oracle.h"

namespace gradproof {

class KnownBlocks;

/// Inputs that a graph may have besides its tensors.
struct FurtherInputs {
  /// By the names of GraphClaim::statistics, all or none: gradients are those of an adjoint that
  /// was given these, which count as exact. Outputs follow from the norms' own statistics.
  Tensors statistics = {};
  InexactInputs inexact = {};  ///< of tensors, and of cotangents ("dy")
  /// Truths of the same graph and tensors, from one contract to the next; null: none are kept. It
  /// goes with no other further input.
  KnownBlocks* known = nullptr;
};

/// The tensors that are judged, by name.
using JudgedTensors = std::map<std::string, const Tensor*, std::less<>>;

/// Compares with their truth, block by block, those outputs, statistics and gradients that `got`
/// has. `inputs` has all tensors, and a cotangent for each output of which gradients are asked.
/// Throws UsageError for labels that are out of range, InstrumentError for given statistics or
/// inexact inputs of a graph in several segments, which only one segment can take.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs,
                                                       const JudgedTensors& got,
                                                       const FurtherInputs& further = {});
/// Compares everything that `got` has.
std::map<std::string, Judged, std::less<>> judge_graph(const GraphClaim& claim,
                                                       const Tensors& inputs, const Tensors& got);

/// The verdict on the figures; Failed if each share of a tie could be right and their sum is
/// not.
Verdict judge(const Judged& judged);

/// The truths that judge_graph() compares with, in row-major order.
struct GraphTruths {
  Truths truths;
  std::vector<char> escalated;  ///< 1: double-double did not decide the element

  void resize(std::size_t count) {
    truths.resize(count);
    escalated.resize(count);
  }
};
/// `like` has the type and the shape of each target.
std::map<std::string, GraphTruths, std::less<>> truths_of_graph(const GraphClaim& claim,
                                                                const Tensors& inputs,
                                                                const JudgedTensors& like,
                                                                const FurtherInputs& further = {});
GraphTruths truths_of_graph(const GraphClaim& claim, const Tensors& inputs,
                            const std::string& target, const Tensor& like);

}  // namespace gradproof
