// SPDX-License-Identifier: Apache-2.0
#include "core/compare/ratio_counts.h"

#include <algorithm>
#include <cmath>

namespace gradproof {

void RatioCounts::add(const std::uint32_t* bins, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ++bins_[bins[i]];
}

void RatioCounts::merge(const RatioCounts& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
}

double RatioCounts::quantile(std::int64_t rank) const {
  std::int64_t seen = 0;
  std::size_t bin = 0;
  while ((seen += bins_[bin]) <= rank) ++bin;
  return range_.upper_edge(bin);
}

std::array<std::int64_t, 16> RatioCounts::histogram() const {
  std::array<std::int64_t, 16> shown{};
  shown[0] = bins_[0];
  for (std::size_t bin = 1; bin < bins_.size(); ++bin) {
    // Inner bins 2 .. 33 lie in the first octave above 2^lowest.
    const int octave = (static_cast<int>(bin) + kParts - 2) / kParts + range_.lowest;
    shown[static_cast<std::size_t>(std::clamp(octave + 10, 1, 15))] += bins_[bin];
  }
  return shown;
}

}  // namespace gradproof
