// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"

namespace gradproof {

/// The places of the units of a claim (core/claim/claim.h) in its tensors. Units are numbered as
/// the elements of the saved statistics are: by column, or by row * groups + group.
class Geometry {
 public:
  explicit Geometry(const Claim& claim)
      : rows_(claim.rows()),
        cols_(claim.cols()),
        groups_(claim.groups()),
        width_(claim.block_width()) {}

  bool is_grouped() const { return groups_ > 0; }
  std::int64_t units() const { return is_grouped() ? rows_ * groups_ : cols_; }
  std::int64_t unit_size() const { return is_grouped() ? width_ : rows_; }

  /// The row-major index in a matrix of the unit's first element, and the step to its next one.
  std::int64_t first(std::int64_t unit) const {
    return is_grouped() ? unit / groups_ * cols_ + first_column(unit) : unit;
  }
  std::int64_t stride() const { return is_grouped() ? 1 : cols_; }

  std::int64_t first_column(std::int64_t unit) const {
    return is_grouped() ? unit % groups_ * width_ : unit;
  }
  std::int64_t columns() const { return is_grouped() ? width_ : 1; }  ///< of one unit

  std::int64_t block_of(std::int64_t unit) const { return is_grouped() ? unit % groups_ : unit; }

  /// The unit of a matrix's element, and the element's position in that unit.
  std::int64_t unit_of(std::int64_t index) const {
    return is_grouped() ? index / cols_ * groups_ + index % cols_ / width_ : index % cols_;
  }
  std::int64_t place_of(std::int64_t index) const {
    return is_grouped() ? index % cols_ % width_ : index / cols_;
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  std::int64_t groups_;
  std::int64_t width_;
};

}  // namespace gradproof
