// SPDX-License-Identifier: Apache-2.0
#include "core/ratio_counts.h"

#include <algorithm>
#include <cmath>

namespace gradproof {

void RatioCounts::add(const ChunkSummary& summary, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) ++bins_[summary.bins[i]];
  squares_ += static_cast<__int128>(summary.squares_high) * (std::int64_t{1} << 48);
  squares_ += summary.squares_low;
}

void RatioCounts::merge(const RatioCounts& other) {
  for (std::size_t i = 0; i < kBins; ++i) bins_[i] += other.bins_[i];
  squares_ += other.squares_;
}

double RatioCounts::quantile(std::int64_t rank) const {
  std::int64_t seen = 0;
  std::size_t bin = 0;
  while ((seen += bins_[bin]) <= rank) ++bin;
  return upper_edge(bin);
}

std::array<std::int64_t, 16> RatioCounts::histogram() const {
  std::array<std::int64_t, 16> shown{};
  shown[0] = bins_[0];
  for (std::size_t bin = 1; bin < kBins; ++bin) {
    // Inner bins 2 .. 33 lie in the first octave above 2^kLowestOctave.
    const int octave = (static_cast<int>(bin) + kParts - 2) / kParts + kLowestOctave;
    shown[static_cast<std::size_t>(std::clamp(octave + 10, 1, 15))] += bins_[bin];
  }
  return shown;
}

double RatioCounts::squares() const { return std::ldexp(static_cast<double>(squares_), -80); }

}  // namespace gradproof
