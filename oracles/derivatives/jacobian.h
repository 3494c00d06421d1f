// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// d y[index] / d number, three ways.
struct JacobianEntry {
  std::int64_t index = 0;  ///< of y, row-major
  double difference = 0;   ///< central differences of y[index]
  double dual = 0;         ///< dual numbers
  double adjoint = 0;      ///< of a dy that is 1 at index and 0 elsewhere; NaN where not asked
  double digits = 0;       ///< of agreement, relative as JacobianColumn says
};

/// The same of a number beside y, without an adjoint: mean, rstd, the running statistics.
struct JacobianSide {
  std::string name;
  std::int64_t unit = 0;  ///< by position in the saved statistics
  double difference = 0;
  double dual = 0;
  double digits = 0;
};

/// A column of the Jacobian of y: what one number of one tensor does to every element that feels
/// it, at 50 digits. Agreement is relative to the column's largest entry, but to no less than
/// max|y| over N times the width on which y changes: a column may be 0.
struct JacobianColumn {
  std::string tensor;
  std::vector<std::int64_t> index;
  std::vector<JacobianEntry> entries;  ///< every element that feels the number, by index
  std::vector<JacobianSide> sides;
  double digits = 0;               ///< the worst of all
  double estimate = 0;             ///< digits to which the differences agree with themselves, worst
  int order = 0;                   ///< of the differences
  int log2_step = 0;               ///< what the number was moved by
  std::int64_t by_adjoint = 0;     ///< entries of which the adjoint was asked
  std::int64_t outside = 0;        ///< elements outside the reach that were evaluated
  std::int64_t outside_moved = 0;  ///< of those, the ones that moved all the same
  std::string verdict;             ///< certified, wrong, inconclusive
  std::string reason;
};

/// `tensor` is x, a parameter, or the name of its gradient; `index` its element (none needed where
/// there is one only). Throws UsageError for a tensor or an element that is not there.
JacobianColumn jacobian_column(const Claim& claim, const Tensors& inputs, const std::string& tensor,
                               const std::vector<std::int64_t>& index);

}  // namespace gradproof
