// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>

#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// Truths of outputs and gradients, by name.
using KeptTruths = std::map<std::string, std::shared_ptr<const GraphTruths>, std::less<>>;

KeptTruths kept(std::map<std::string, GraphTruths, std::less<>> truths);

/// The judgements of tensors, and the truths that they were compared with.
struct JudgedGraph {
  std::map<std::string, Judged, std::less<>> judged;
  KeptTruths truths;
};

/// judge_graph() of all that `got` has, with the truths, with which another witness of the same
/// numbers is then compared without a second evaluation.
JudgedGraph judge_graph_and_keep(const GraphClaim& claim, const Tensors& inputs, const Tensors& got,
                                 KnownBlocks* known = nullptr);

/// Judges other tensors that were computed from the same numbers, by truths of the same claim and
/// of the same inputs. `truths` has each tensor. Nothing is evaluated.
JudgedGraph judge_by_truths(const GraphClaim& claim, const Tensors& inputs, const Tensors& got,
                            KeptTruths truths);

/// True if the witness, in row-major order and in float64, is within `share` of the bound of every
/// truth, or of the class of a truth that is not finite. An infinite bound is always met.
bool is_within(const Tensor& witness, const GraphTruths& truths, double share);

}  // namespace gradproof
