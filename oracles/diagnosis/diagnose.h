// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The budget `numbers` for all tensors of one Case: some two seconds of two cores.
inline constexpr double kDiagnosedNumbers = 0x1p25;

/// A wrong output or gradient, and the byte that memory had before somebody wrote it.
struct WrongNumbers {
  const std::string& name;
  const Tensor& got;
  std::byte unwritten = std::byte{0xFF};
};

/// The explanation of a wrong output or gradient, in a sentence: "layer_norm: eps is added to the
/// deviation, outside of the root; explains all 49152 wrong entries to 0.3 of their bound". Each
/// hypothesis is an edit of the line, of its numbers or of the cotangents, or a function of the
/// tensor's truth; the oracle computes truth and bound of the edited claim, and the edit is named
/// when the tensor is within that bound, entry by entry, and not by chance (docs/diagnosis.md has
/// the rule). Empty if nothing explains the tensor, if no entry is wrong, or for more than 2^21
/// elements. Gradients start from `statistics`, where there are some (FurtherInputs).
///
/// So many `numbers` of tensors, values and cotangents may be evaluated, and behind those of
/// samples as many as three evaluations of the tensor have; those used are subtracted. If they do
/// not suffice, only the first hypotheses are tested.
std::string diagnose(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const WrongNumbers& wrong, double& numbers);

}  // namespace gradproof
