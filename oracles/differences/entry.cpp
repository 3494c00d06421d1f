// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/entry.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kAllDigits = 50;

/// D(h) and a claim are far apart where they differ by more than this many estimates. The estimate
/// |D(h) - D(2h)| is at least the truncation error of D(h), because it is that of D(2h), and of the
/// size of the rounding error.
constexpr double kFar = 0x1p6;

/// Where D(h) grows like h^-q, |D(h) - D(2h)| <= 2^-6 |D(h)| only if q is below about 2^-5. Such a
/// D(h) would need more octaves than a sweep has to move far.
constexpr double kSmall = 0x1p-6;

/// The jump extrapolated from few steps has a larger error than D(h): higher powers of h with
/// larger factors (up to 2^9 for three steps), and five times the rounding error of D(h).
constexpr double kJumpMargin = 0x1p10;
constexpr double kJumpOverEstimate = 0x1p4;

/// Between these scales no error and no estimate that matters leaves the range of doubles.
constexpr double kSmallest = 1e-200;
constexpr double kLargest = 1e200;

/// value / scale; 0/0 is 0, any other value over 0 is 1.
double over(const Real& value, const Real& scale) {
  if (value == 0) return 0;
  return scale == 0 ? 1 : Real(value / scale).convert_to<double>();
}

/// max(|D(h) - D(2h)|, noise), absolute.
double estimated_error(const Entry& entry, const ErrorScales& scales) {
  return std::max(Real(abs(entry.fine - entry.coarse)).convert_to<double>(), scales.noise);
}

}  // namespace

bool is_informative(double self_error, double size, double typical_gradient, double rounding) {
  return self_error <= kSmall * std::max(size, typical_gradient) || self_error <= kFar * rounding;
}

bool is_informative(const Entry& entry, const ErrorScales& scales) {
  const Real self_error = abs(entry.fine - entry.coarse);
  if (!isfinite(self_error)) return false;
  return self_error <= abs(entry.fine) * kSmall ||
         is_informative(self_error.convert_to<double>(), 0, scales.typical_gradient,
                        scales.rounding);
}

double far_from(double estimate) { return kFar * estimate; }

double digits_of(double error) {
  return error > 0 ? std::min(kAllDigits, -std::log10(error)) : kAllDigits;
}

void Entry::add(const Entry& other) {
  claimed += other.claimed;
  fine += other.fine;
  coarse += other.coarse;
  jump += other.jump;
  unchanged = unchanged && other.unchanged;
}

Real scale_of(const Values<Entry>& entries) {
  Real scale(0);
  for (const Entry& entry : entries) {
    const Real size = std::min(Real(abs(entry.claimed)), Real(abs(entry.fine)));
    if (isfinite(size) && size > scale) scale = size;
  }
  return scale;
}

double typical_estimate(const Values<Entry>& entries) {
  std::vector<double> estimates;
  for (const Entry& entry : entries) {
    const Real estimate = abs(entry.fine - entry.coarse);
    if (isfinite(estimate)) estimates.push_back(estimate.convert_to<double>());
  }
  return typical(std::move(estimates));
}

double typical(std::vector<double> estimates) {
  if (estimates.empty()) return 0;
  for (double& estimate : estimates) estimate = std::abs(estimate);
  const auto middle = estimates.begin() + std::ssize(estimates) / 2;
  std::nth_element(estimates.begin(), middle, estimates.end());
  return *middle;
}

std::optional<EntryJudgement> certify_in_double(double fine, double error, double self_error,
                                                double jump, const ErrorScalesInDouble& scales) {
  if (!(scales.scale >= kSmallest && scales.scale <= kLargest)) return std::nullopt;
  const double size = std::abs(fine);
  const double estimate = std::max(std::abs(self_error), scales.noise);
  const bool may_be_zero = size == 0 || (scales.small_may_be_zero && !(size > kFar * estimate));
  const bool may_be_kinked = !(std::abs(jump) <= scales.scale * (kJumpMargin * scales.tolerance));
  if (may_be_zero || may_be_kinked || !(std::abs(error) <= scales.scale * scales.tolerance))
    return std::nullopt;
  return EntryJudgement{EntryVerdict::certified, std::abs(error) / scales.scale,
                        estimate / scales.scale};
}

std::optional<EntryJudgement> certify_in_double(const Entry& entry,
                                                const ErrorScalesInDouble& scales) {
  const auto rounded = [](const Real& value) { return value.convert_to<double>(); };
  return certify_in_double(rounded(entry.fine), rounded(entry.fine - entry.claimed),
                           rounded(entry.fine - entry.coarse), rounded(entry.jump), scales);
}

bool is_reproduced(const Real& before, const Real& claimed) {
  constexpr double kReproduced = 1e-10;
  return abs(before - claimed) <= abs(claimed) * kReproduced;
}

bool defined_slope(const Entry& entry) {
  constexpr double kDefined = 1e-6;
  return abs(entry.fine - entry.coarse) <= abs(entry.fine) * kDefined;
}

bool kinked(const Entry& entry, const ErrorScales& scales, const Aim& aim) {
  if (entry.jump == 0) return false;
  const Real size = abs(entry.jump);
  return size > scales.scale * (kJumpMargin * aim.tolerance()) &&
         size > Real(kJumpOverEstimate * estimated_error(entry, scales));
}

bool beside_nothing(const Entry& entry, const ErrorScales& scales, const Precision& precision) {
  const Real size = std::max(Real(abs(entry.fine)), Real(abs(entry.claimed)));
  return std::max(size, Real(abs(entry.jump))) <= Real(scales.typical_gradient * precision.nothing);
}

EntryJudgement judge(const Entry& entry, const ErrorScales& scales, const Aim& aim,
                     const Precision& precision) {
  EntryJudgement judgement;
  const Real error = abs(entry.fine - entry.claimed);
  if (!isfinite(error) || !isfinite(entry.coarse)) return {EntryVerdict::unresolved, 1, 1};
  judgement.error = over(error, scales.scale);
  judgement.estimate = over(Real(estimated_error(entry, scales)), scales.scale);
  const double large = std::max(scales.typical_gradient, scales.scale.convert_to<double>());
  const bool noise_hides_it =
      !(scales.noise <= large * aim.tolerance()) || !(scales.permitted <= large * aim.tolerance());
  if (error == 0 && entry.coarse == entry.fine && entry.jump == 0 &&
      !(entry.fine == 0 && noise_hides_it)) {
    judgement.verdict =
        entry.fine == 0 && scales.scale == 0 ? EntryVerdict::zero : EntryVerdict::certified;
    judgement.estimate = scales.scale == 0 ? 0 : judgement.estimate;
    return judgement;
  }
  // D(h) is 0, but the noise may hide a gradient.
  const bool last = precision.unit <= kRealUnit;
  if (error == 0 && entry.fine == 0 && noise_hides_it && !last) return judgement;
  const Real size = std::max(Real(abs(entry.fine)), Real(abs(entry.claimed)));
  const double most = size.convert_to<double>();
  const Real apart = Real(kFar * estimated_error(entry, scales)) + scales.permitted;
  const bool zero =
      most <= scales.typical_gradient * precision.nothing && size <= apart && !noise_hides_it;
  // A jump far below the typical gradient is no kink: rounding alone leaves such a jump.
  if (!(zero && beside_nothing(entry, scales, precision)) && kinked(entry, scales, aim))
    return judgement;
  if (zero)
    return {EntryVerdict::zero, most / scales.typical_gradient,
            scales.noise / scales.typical_gradient};
  if (error <= scales.scale * aim.tolerance())
    judgement.verdict = EntryVerdict::certified;
  else if (error > apart && is_informative(entry, scales))
    judgement.verdict = EntryVerdict::wrong;
  return judgement;
}

}  // namespace gradproof
