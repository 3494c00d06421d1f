// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/tensor/philox.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The words of the key `fill`: distributions that expose faults (docs/inputs.md says which).
std::vector<std::string> fill_words();

/// The words of the key `dy`.
std::vector<std::string> cotangent_words();

/// Writes x of shape (rows, cols) by the Case's `fill`. The parameters of a unit (its offset, its
/// outlier) hold for a column, or with groups for one row of one group.
void fill(const Case& c, const Stream& stream, std::int64_t groups, Tensor& x);

/// Writes dy. `designed` is 1 + xhat + N(0,1), xhat being x standardised in each unit in float64,
/// in order: both correction terms of a norm's gradient are then as large as the gradient itself.
void fill_cotangent(const Case& c, const Stream& stream, std::int64_t groups, const Tensor& x,
                    Tensor& dy);

}  // namespace gradproof
