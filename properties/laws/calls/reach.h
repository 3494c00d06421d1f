// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The elements of a result that depend on one element of x: those of its unit where the inputs'
/// own statistics normalise, else of its row and column; of a result for each column those of the
/// unit's columns, and all of one that is summed over columns.
class LawReach {
 public:
  LawReach(const Claim& claim, const TensorSpec& result, std::int64_t element);

  bool has(std::int64_t index) const;
  /// The elements within reach of the first, elsewhere of the second.
  Tensor mixed(const Tensor& within, Tensor beyond) const;
  /// Whether all elements within reach are NaN.
  bool all_nan(const Tensor& result) const;

 private:
  const Claim& claim_;
  const TensorSpec& spec_;
  std::int64_t row_;
  std::int64_t first_col_;  ///< of the unit
  std::int64_t last_col_;
  bool all_rows_;
};

}  // namespace gradproof
