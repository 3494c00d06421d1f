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

/// What tensors were judged to be, and the truths that they were compared with.
struct JudgedGraph {
  std::map<std::string, Judged, std::less<>> judged;
  KeptTruths truths;
};

/// judge_graph() of all that `got` has, whose truths another witness of the same numbers is held
/// against: that spares it a second evaluation.
JudgedGraph judge_graph_and_keep(const GraphClaim& claim, const Tensors& inputs,
                                 const Tensors& got);

/// The same of other tensors that were made of the same numbers, by truths of the same claim and of
/// the same inputs. Of each tensor there is a truth. Nothing is evaluated.
JudgedGraph judge_by_truths(const GraphClaim& claim, const Tensors& inputs, const Tensors& got,
                            KeptTruths truths);

/// Whether the witness, in row-major order and in float64, is within `share` of the bound of every
/// truth; where a truth is not finite, of its class. Nothing is asked where the bound is infinite.
bool is_within(const Tensor& witness, const GraphTruths& truths, double share);

}  // namespace gradproof
