// SPDX-License-Identifier: Apache-2.0
#include "core/compare/resolution.h"

#include <algorithm>
#include <cmath>

namespace gradproof {

double Resolution::bound_over_truth() const { return rms_bound == 0 ? 0 : rms_bound / rms_truth; }

void Resolution::add(std::int64_t elements, const Resolution& other, std::int64_t other_elements) {
  const auto all = static_cast<double>(elements + other_elements);
  const double part = std::sqrt(static_cast<double>(elements) / all);
  const double rest = std::sqrt(static_cast<double>(other_elements) / all);
  whole = std::min(whole, other.whole);
  median = std::max(median, other.median);
  rms_bound = std::hypot(part * rms_bound, rest * other.rms_bound);
  rms_truth = std::hypot(part * rms_truth, rest * other.rms_truth);
  zeros += other.zeros;
  zero_passes += other.zero_passes;
}

void ResolutionCounts::add(const ChunkSummary& summary, std::size_t count) {
  sum_.whole = std::min(sum_.whole, summary.least_relative);
  sum_.zeros += summary.zeros;
  sum_.zero_passes += summary.zero_passes;
  relative_.add(summary.relative_bins, count);
  truth_.add(summary.truth_squares);
  bound_.add(summary.bound_squares);
}

void ResolutionCounts::merge(const ResolutionCounts& other) {
  sum_.whole = std::min(sum_.whole, other.sum_.whole);
  sum_.zeros += other.sum_.zeros;
  sum_.zero_passes += other.sum_.zero_passes;
  relative_.merge(other.relative_);
  truth_.merge(other.truth_);
  bound_.merge(other.bound_);
}

Resolution ResolutionCounts::of(std::int64_t elements) const {
  Resolution r = sum_;
  // Infinite ratios are the last in order, those with a truth of 0 among them.
  if (r.zeros < elements) r.median = relative_.quantile((elements - r.zeros - 1) / 2);
  r.rms_truth = truth_.rms(elements);
  r.rms_bound = bound_.rms(elements);
  return r;
}

}  // namespace gradproof
