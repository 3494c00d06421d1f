// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/compare/answer.h"
#include "core/compare/discrepancy.h"

namespace gradproof {

/// The statistics a backward pass was given: tensors `mean` and `rstd` of the kernel's own forward,
/// of shape (cols), or (rows, groups) with groups.
struct GivenStatistics {
  Tensor mean;
  Tensor rstd;
};

/// An input that is not known exactly, element by element, f64, in the matrix's shape. The exact
/// number lies within `radius` of the tensor's; the kernel's number may differ from the exact one
/// by `error`. Both are finite and not negative; a tensor without elements means 0.
struct Inexact {
  Tensor radius;
  Tensor error;
};

/// The inexact inputs by tensor: "x", "dy".
using InexactInputs = std::map<std::string, Inexact, std::less<>>;

/// The truth, and the bound that the contract permits, for every output, buffer and gradient of the
/// claim. The truth is double-double with a certified radius; units whose radius is not far below
/// their bound, or that leave double's range, are done again at 50 digits. Gradients are judged
/// from the given statistics, which count as exact there; without them end to end, the errors of
/// the contract's own statistics included. Blocks (core/claim/claim.h) are evaluated on all cores.
/// Throws InstrumentError for a claim it has no stage for.
Answers evaluate(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const InexactInputs& inexact = {});

/// The result of comparing one tensor with the truth.
struct Judged {
  Discrepancy discrepancy;
  std::string why;                ///< where the bound comes from
  std::int64_t escalated = 0;     ///< elements that double-double leaves to 50 digits or classes
  std::int64_t too_coarse = 0;    ///< of those, whose radius is not far below their bound still
  std::string wrong_shares = {};  ///< which shares of a tie sum to what they may not; empty: none
};

/// Compares the tensors of a kernel with evaluate()'s truth, block by block: no tensor of truths is
/// ever held. `got` has every judged tensor of the claim.
std::map<std::string, Judged, std::less<>> compare_with_truth(
    const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
    const Tensors& got, const InexactInputs& inexact = {});

/// The claim about some of its blocks alone, in their order, and their part of the inputs, for a
/// witness that cannot take the whole.
struct Sample {
  Claim claim;
  Tensors inputs;
};
Sample sample_of(const Claim& claim, const Tensors& inputs,
                 const std::vector<std::int64_t>& blocks);

/// The truth and the bound of the sums of d_x over each unit: (cols), or (rows, groups) with
/// groups. They are end to end: errors that a unit's elements share cancel in the sum as they do in
/// the kernel.
Answer unit_sums_of_dx(const Claim& claim, const Tensors& inputs);

}  // namespace gradproof
