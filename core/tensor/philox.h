// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/tensor/stream_loops.h"

namespace gradproof {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3"):
/// a number is a pure function of key and counter.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// The random numbers of one stream: a seed and a name. Element i does not depend on who asks, or
/// in what order. Only IEEE + - * / sqrt and integers are used: bits are equal on every machine.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name);

  std::uint64_t bits(std::uint64_t index) const;
  /// A number that is uniform in the open interval (0, 1), with 53 bits.
  double uniform(std::uint64_t index) const;
  /// A standard normal number by inversion (Wichura 1988, AS 241, PPND16), accurate to about 1e-16.
  double normal(std::uint64_t index) const;
  /// Write the numbers of the indices first, first + 1, ...
  void bits(std::uint64_t first, std::size_t count, std::uint64_t* out) const;
  void uniforms(std::uint64_t first, std::size_t count, double* out) const;
  void normals(std::uint64_t first, std::size_t count, double* out) const;

 private:
  StreamKey key_;
};

/// Returns `wanted` of the indices 0 ... count - 1, ascending, one at random from each of `wanted`
/// equal ranges; all indices if there are no more.
std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                      std::string_view stream);

}  // namespace gradproof
