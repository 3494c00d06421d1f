// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/dead_band.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kSigmas = 3;

}  // namespace

DeadBand dead_band(const Shape& shape) {
  const double n = shape.empty() ? 1 : static_cast<double>(std::max<std::int64_t>(1, shape.back()));
  // ln(n + 2): finite for a single error, and the same for many.
  return {1 + kSigmas / (2 * std::log(n + 2)), 1 + kSigmas / std::sqrt(2 * n)};
}

DeadBand widened(DeadBand band, const MeasuredNoise& noise) {
  return {std::max(band.max, noise.max), std::max(band.rms, noise.rms)};
}

}  // namespace gradproof
