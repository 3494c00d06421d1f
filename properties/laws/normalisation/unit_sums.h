// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Of a unit (core/claim/claim.h): a column, or one row of a group.
struct GradientSum {
  long double sum = 0;
  long double size = 0;  ///< of absolute values
};

/// The number of the unit that an element of x belongs to.
std::size_t unit_of(const Claim& claim, std::int64_t index);
std::size_t units_of(const Claim& claim);

/// Sums over each unit of a tensor of x's shape.
std::vector<GradientSum> unit_sums(const Claim& claim, const Tensor& matrix);

/// (cols), or (rows, groups) with groups.
Shape shape_of_units(const Claim& claim);

}  // namespace gradproof
