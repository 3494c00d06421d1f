// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/tensor/dtype.h"

namespace gradproof {

/// Reads a number from memory that may not be aligned for its type.
template <class T>
T load_number(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes `count` numbers that lie `stride` bytes apart in memory as doubles to `into`.
void read_numbers(DType dtype, const std::byte* from, std::int64_t stride, std::int64_t count,
                  double* into);

/// The number of lines whose numbers lie together, and the number of numbers in each line.
struct LineCounts {
  std::int64_t lines = 0;
  std::int64_t of_line = 0;
};

/// Reads lines that lie `stride` bytes apart, one after the other. The lines are fetched ahead, as
/// no hardware predicts the next of lines that are far from each other.
void read_lines(DType dtype, const std::byte* from, std::int64_t stride, const LineCounts& counts,
                double* into);

}  // namespace gradproof
