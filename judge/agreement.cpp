// SPDX-License-Identifier: Apache-2.0
#include "judge/agreement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gradproof {

bool is_finite(const Tensor& tensor) {
  constexpr std::int64_t kAtOnce = 4096;
  std::vector<double> line(kAtOnce);
  for (std::int64_t i = 0; i < tensor.numel(); i += kAtOnce) {
    const std::int64_t count = std::min(kAtOnce, tensor.numel() - i);
    tensor.read(i, 1, count, line.data());
    for (std::int64_t k = 0; k < count; ++k)
      if (!std::isfinite(line[static_cast<std::size_t>(k)])) return false;
  }
  return true;
}

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
