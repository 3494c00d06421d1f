// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/tensor/dtype.h"

namespace gradproof {

/// A number from memory that may not be aligned for it.
template <class T>
T load_number(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Writes `count` numbers that lie `stride` bytes apart in memory as doubles to `into`.
void read_numbers(DType dtype, const std::byte* from, std::int64_t stride, std::int64_t count,
                  double* into);

/// How many lines of numbers that lie together there are, and how many numbers each has.
struct LineCounts {
  std::int64_t lines = 0;
  std::int64_t of_line = 0;
};

/// The same of lines that lie `stride` bytes apart, one after the other. Of lines that are far from
/// each other no hardware knows which is next, so they are fetched ahead.
void read_lines(DType dtype, const std::byte* from, std::int64_t stride, const LineCounts& counts,
                double* into);

}  // namespace gradproof
