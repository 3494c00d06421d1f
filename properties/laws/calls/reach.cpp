// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/reach.h"

#include <cmath>

#include "properties/laws/axes.h"
#include "properties/laws/silences.h"

namespace gradproof {

LawReach::LawReach(const Claim& claim, const TensorSpec& result, std::int64_t element)
    : claim_(claim),
      spec_(result),
      row_(element / claim.cols()),
      first_col_(element % claim.cols() / claim.block_width() * claim.block_width()),
      last_col_(first_col_ + claim.block_width() - 1),
      all_rows_(claim.groups() == 0 && silences::no_own_statistics(claim).empty()) {}

bool LawReach::has(std::int64_t index) const {
  const std::vector<Axis> axes = axes_of(claim_, spec_);
  for (std::size_t d = axes.size(); d-- > 0;) {
    const std::int64_t extent = spec_.layout.shape[d];
    const std::int64_t place = index % extent;
    index /= extent;
    if (axes[d] == Axis::cols && (place < first_col_ || place > last_col_)) return false;
    if (axes[d] == Axis::groups && place != first_col_ / claim_.block_width()) return false;
    if (axes[d] == Axis::rows && !all_rows_ && place != row_) return false;
  }
  return true;
}

Tensor LawReach::mixed(const Tensor& within, Tensor beyond) const {
  for (std::int64_t i = 0; i < beyond.numel(); ++i)
    if (has(i)) beyond.set(i, within.at(i));
  return beyond;
}

bool LawReach::all_nan(const Tensor& result) const {
  for (std::int64_t i = 0; i < result.numel(); ++i)
    if (has(i) && !std::isnan(result.at(i))) return false;
  return true;
}

}  // namespace gradproof
