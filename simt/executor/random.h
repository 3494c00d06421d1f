// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simt::executor {

/// The SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014): tiny, the same draws everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
  }
  /// Draws a number below `bound` (at most 2^32) by multiplication: no division on the hot path.
  std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace simt::executor
