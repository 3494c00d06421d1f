// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// For all tensors of one Case: some two seconds of two cores.
inline constexpr double kDiagnosedNumbers = 0x1p25;

/// What explains a wrong output or gradient of a graph, in a sentence: "layer_norm: eps is added to
/// the deviation, outside of the root; explains all 49152 wrong entries to 0.3 of their bound".
/// Each hypothesis is an edit of the line, of its numbers or of the cotangents; the oracle computes
/// truth and bound of what was edited, and the edit is named when the tensor is within that bound,
/// entry by entry, and that is no chance hit (docs/diagnosis.md has the rule). Empty where nothing
/// explains it, where no entry is wrong, and of more than 2^20 elements.
///
/// `numbers` of tensors, values and what goes back may be evaluated, and are taken off: where they
/// do not suffice the simplest hypotheses are tested alone.
std::string diagnose_graph(const GraphClaim& claim, const Tensors& inputs, const std::string& name,
                           const Tensor& got, double& numbers);

}  // namespace gradproof
