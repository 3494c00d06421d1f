// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gradproof {

/// The places of elements that follow each other in packs of `lanes`: those of the first pack have
/// the row-major indices first, first + lane_stride, ..., those of each next pack `stride` more. No
/// stride is negative.
struct Run {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::int64_t lanes = 1;
  std::int64_t lane_stride = 0;

  std::int64_t index(std::int64_t i) const {
    return first + i / lanes * stride + i % lanes * lane_stride;
  }
  /// The Run from the i-th element on, which must be the first of a pack.
  Run from(std::int64_t i) const { return {index(i), stride, lanes, lane_stride}; }
};

}  // namespace gradproof
