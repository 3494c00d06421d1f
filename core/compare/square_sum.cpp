// SPDX-License-Identifier: Apache-2.0
#include "core/compare/square_sum.h"

#include <cmath>

namespace gradproof {

double SquareSum::rms(std::int64_t count) const {
  const double sum =
      static_cast<double>(high_) + std::ldexp(static_cast<double>(low_), -2 * kWindowOctaves);
  return std::ldexp(std::sqrt(sum / static_cast<double>(count)), kWindowOctaves * window_);
}

/// If the window goes up by one, the units of `high` become those of `low`, and `low` is left out:
/// each square by itself would have been rounded there.
void SquareSum::add(int window, __int128 high, __int128 low) {
  if (window > window_) {
    low_ = window == window_ + 1 ? high_ : 0;
    high_ = 0;
    window_ = window;
  }
  if (window == window_) {
    high_ += high;
    low_ += low;
  } else if (window == window_ - 1) {
    low_ += high;
  }
}

}  // namespace gradproof
