// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/entry.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kAllDigits = 50;

/// If D(h) grows like h^-q, |D(h) - D(2h)| <= 2^-6 |D(h)| only if q is below about 2^-5. To change
/// much, such a D(h) would need more octaves than a sweep has.
constexpr double kSmall = 0x1p-6;

/// The jump extrapolated from few steps has a larger error than D(h) has: higher powers of h with
/// larger factors (up to 2^9 for three steps), and five times the rounding error of D(h).
constexpr double kJumpMargin = 0x1p10;
constexpr double kJumpOverEstimate = 0x1p4;

/// value / scale; 0/0 is 0, any other value over 0 is 1.
double over(Extended value, Extended scale) {
  if (value == 0) return 0;
  return scale == 0 ? 1 : static_cast<double>(value / scale);
}

/// max(|D(h) - D(2h)|, noise), absolute. The estimate |D(h) - D(2h)| is at least the truncation
/// error of D(h), because it is that of D(2h), and about as large as the rounding error.
Extended estimated_error(const Entry& entry, const ErrorScales& scales) {
  return std::max(std::abs(entry.self_error), scales.noise);
}

/// True if D goes to 0 with h: |D(2h)| >= 3/2 |D(h)|.
bool vanishes(const Entry& entry) {
  return std::abs(entry.fine - entry.self_error) >= 1.5L * std::abs(entry.fine);
}

/// The median of |D(h) - D(2h)| over the entries. The two differences of one entry may agree by
/// chance; those of half the entries do not.
Extended typical_estimate(const Values<Entry>& entries) {
  std::vector<Extended> estimates;
  estimates.reserve(entries.size());
  for (const Entry& entry : entries)
    if (std::isfinite(entry.self_error)) estimates.push_back(std::abs(entry.self_error));
  if (estimates.empty()) return 0;
  const auto middle = estimates.begin() + std::ssize(estimates) / 2;
  std::nth_element(estimates.begin(), middle, estimates.end());
  return *middle;
}

}  // namespace

bool is_informative(Extended self_error, Extended size, Extended typical_gradient,
                    Extended rounding) {
  return self_error <= kSmall * std::max(size, typical_gradient) ||
         self_error <= far_from(rounding);
}

double digits_of(double error) {
  return error > 0 ? std::min(kAllDigits, -std::log10(error)) : kAllDigits;
}

Extended scale_of(const Entry& entry) {
  const Extended size = std::min(std::abs(entry.claimed), std::abs(entry.fine));
  return std::isfinite(size) ? size : 0;
}

Extended scale_of(const Values<Entry>& entries) {
  Extended scale = 0;
  for (const Entry& entry : entries) scale = std::max(scale, scale_of(entry));
  return scale;
}

ErrorScales error_scales_of(const Values<Entry>& entries, Extended scale, double self_error) {
  ErrorScales scales{.scale = scale};
  scales.noise = std::max(typical_estimate(entries), self_error * scale);
  return scales;
}

bool kinked(const Entry& entry, const ErrorScales& scales, double tolerance) {
  const Extended size = std::abs(entry.jump);
  return size > scales.scale * (kJumpMargin * tolerance) &&
         size > kJumpOverEstimate * estimated_error(entry, scales);
}

EntryJudgement judge(const Entry& entry, const ErrorScales& scales, double tolerance,
                     const Precision& precision) {
  EntryJudgement judgement;
  const Extended error = std::abs(entry.error);
  if (!std::isfinite(error) || !std::isfinite(entry.self_error))
    return {EntryVerdict::unresolved, 1, 1};
  const Extended estimate = estimated_error(entry, scales);
  judgement.error = over(error, scales.scale);
  judgement.estimate = over(estimate, scales.scale);
  const Extended limit = std::max(scales.typical_gradient, scales.scale) * tolerance;
  const bool noise_hides_it = !(scales.noise <= limit);
  if (error == 0 && entry.self_error == 0 && entry.jump == 0 &&
      !(entry.fine == 0 && noise_hides_it)) {
    judgement.verdict =
        entry.fine == 0 && scales.scale == 0 ? EntryVerdict::zero : EntryVerdict::certified;
    judgement.estimate = scales.scale == 0 ? 0 : judgement.estimate;
    return judgement;
  }
  // D(h) is 0, but the noise may hide a gradient.
  const bool last = precision.unit < kRealUnit;
  if (error == 0 && entry.fine == 0 && noise_hides_it && !last) return judgement;
  const Extended size = std::max(std::abs(entry.fine), std::abs(entry.claimed));
  const Extended apart = far_from(estimate);
  const Extended nothing = scales.typical_gradient * precision.nothing;
  const bool zero = size <= nothing && size <= apart && !noise_hides_it;
  // A jump far below the typical gradient is no kink: rounding alone leaves such a jump.
  if (!(zero && std::abs(entry.jump) <= nothing) && kinked(entry, scales, tolerance))
    return judgement;
  if (zero)
    return {EntryVerdict::zero, static_cast<double>(size / scales.typical_gradient),
            static_cast<double>(scales.noise / scales.typical_gradient)};
  const bool informative =
      vanishes(entry) || is_informative(std::abs(entry.self_error), std::abs(entry.fine),
                                        scales.typical_gradient, scales.rounding);
  if (error <= scales.scale * tolerance)
    judgement.verdict = EntryVerdict::certified;
  else if (error > apart && informative)
    judgement.verdict = EntryVerdict::wrong;
  return judgement;
}

EntryJudgement judge_by_size(const Entry& entry, ErrorScales scales, double tolerance,
                             const Precision& precision) {
  // With an infinite typical gradient an entry counts as zero if it does with any other.
  scales.typical_gradient = std::numeric_limits<Extended>::infinity();
  const EntryJudgement judgement = judge(entry, scales, tolerance, precision);
  const bool holds = judgement.verdict == EntryVerdict::certified && entry.fine != 0;
  return holds ? judgement : EntryJudgement{};
}

}  // namespace gradproof
