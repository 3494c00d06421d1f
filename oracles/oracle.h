// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/answer.h"
#include "core/audit.h"
#include "core/claim.h"

namespace gradproof {

/// The statistics a backward pass was given: tensors `mean` and `rstd` of the kernel's own forward.
struct GivenStatistics {
  Tensor mean;
  Tensor rstd;
};

/// The truth at 50 digits, and the bound that the contract permits, for every output, buffer and
/// gradient of the claim. Gradients are judged from the given statistics, which count as exact
/// there; without them end to end, the errors of the contract's own statistics included. Columns
/// are evaluated on all cores. Throws InstrumentError for a claim it has no stage for.
Answers evaluate(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given);

/// The truth and the bound of the sums of d_x over the rows, one for each column, end to end:
/// errors that a column's elements share cancel in the sum as they do in the kernel.
Answer column_sums_of_dx(const Claim& claim, const Tensors& inputs);

/// <J v, dy> by dual numbers through the pipeline's value, at 50 digits, as hi and lo. `directions`
/// holds v for x and any parameter by name; what is absent counts as zero. No adjoint is used.
struct HiLo {
  double hi = 0;
  double lo = 0;
};
HiLo directional_derivative(const Claim& claim, const Tensors& inputs, const Tensors& directions);

/// Every entry of every gradient: the adjoint at 50 digits against central differences of the value
/// at 50 digits. The step is a power of two found by a sweep on a sample of entries.
std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs);

}  // namespace gradproof
