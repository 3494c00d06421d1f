// SPDX-License-Identifier: Apache-2.0
#include "judge/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {

double digits_of_agreement(const Tensor& got, const Answer& truth) {
  double error = 0;
  double scale = 0;
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double off = std::abs((got.at(i) - truth.hi[k]) - truth.lo[k]);
    if (!std::isfinite(off)) return std::numeric_limits<double>::quiet_NaN();
    error = std::max(error, off);
    scale = std::max(scale, std::abs(truth.hi[k]));
  }
  if (scale == 0) return std::numeric_limits<double>::quiet_NaN();
  return -std::log10(error / scale);
}

}  // namespace gradproof
