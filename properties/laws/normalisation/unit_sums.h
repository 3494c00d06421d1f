// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "properties/laws/trial.h"

namespace gradproof {

/// The sums over each unit (core/claim/claim.h): of a column, or of one row of a group.
struct UnitSums {
  Estimate sum;                   ///< of shape (cols), or (rows, groups) with groups
  std::vector<long double> size;  ///< of absolute values
};

/// The sums of d_x over each unit. The bound is that of the sum, in which errors that a unit's
/// elements share cancel; in addition every element is rounded once where it is stored: |stored -
/// computed| <= u/(1-u) |stored|. A sum with an element that may leave its range says nothing.
UnitSums sums_of_dx(const LawRun& run);

/// The sums of the gradient of shifted_tensor() over each unit, for code that is judged by its
/// graph. The bounds of the elements add up, whatever errors they share.
UnitSums sums_of_gradient(const LawRun& run);

/// The sums of d_x (x - mean of x), for each column.
UnitSums sums_of_dx_along_x(const LawRun& run);

}  // namespace gradproof
