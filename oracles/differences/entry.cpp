// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/entry.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

using std::abs;
using std::isfinite;

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

double as_double(double value) { return value; }
double as_double(const Real& value) { return value.convert_to<double>(); }

/// value / scale; 0/0 is 0, any other value over 0 is 1.
template <class T>
double over(const T& value, const T& scale) {
  if (value == 0) return 0;
  return scale == 0 ? 1 : as_double(T(value / scale));
}

template <class T>
T largest(const EntryOf<T>& entry) {
  return std::max(T(abs(entry.fine)), T(abs(entry.claimed)));
}

/// max(|D(h) - D(2h)|, noise), absolute.
template <class T>
double estimated_error(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales) {
  return std::max(as_double(T(abs(entry.self_error))), scales.noise);
}

template <class T>
bool is_informative(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales) {
  const T self_error = abs(entry.self_error);
  return self_error <= T(abs(entry.fine) * kSmall) ||
         gradproof::is_informative(as_double(self_error), 0, scales.typical_gradient,
                                   scales.rounding);
}

/// The median of |D(h) - D(2h)| over the entries. The two differences of one entry may agree by
/// chance; those of half the entries do not.
template <class T>
double typical_estimate(const Values<EntryOf<T>>& entries) {
  std::vector<double> estimates;
  estimates.reserve(entries.size());
  for (const EntryOf<T>& entry : entries)
    if (isfinite(entry.self_error)) estimates.push_back(as_double(T(abs(entry.self_error))));
  if (estimates.empty()) return 0;
  const auto middle = estimates.begin() + std::ssize(estimates) / 2;
  std::nth_element(estimates.begin(), middle, estimates.end());
  return *middle;
}

}  // namespace

bool is_informative(double self_error, double size, double typical_gradient, double rounding) {
  return self_error <= kSmall * std::max(size, typical_gradient) || self_error <= kFar * rounding;
}

double far_from(double estimate) { return kFar * estimate; }

double digits_of(double error) {
  return error > 0 ? std::min(kAllDigits, -std::log10(error)) : kAllDigits;
}

template <class T>
T scale_of(const Values<EntryOf<T>>& entries) {
  T scale(0);
  for (const EntryOf<T>& entry : entries) {
    const T size = std::min(T(abs(entry.claimed)), T(abs(entry.fine)));
    if (isfinite(size) && size > scale) scale = size;
  }
  return scale;
}

template <class T>
ErrorScalesOf<T> error_scales_of(const Values<EntryOf<T>>& entries, const T& scale,
                                 double typical_gradient, double rounding, double self_error) {
  const double of_sample = self_error * as_double(scale);
  return {scale, typical_gradient, std::max({rounding, of_sample, typical_estimate(entries)}),
          rounding};
}

template <class T>
ErrorScalesOf<T> error_scales_of_element(const ErrorScalesOf<T>& scales, const EntryOf<T>& entry,
                                         double noise) {
  ErrorScalesOf<T> of_element = scales;
  of_element.typical_gradient = as_double(scale_of<T>({entry}));
  of_element.noise = std::max(of_element.noise, noise);
  of_element.rounding = noise;
  return of_element;
}

bool is_reproduced(const Real& before, const Real& claimed) {
  constexpr double kReproduced = 1e-10;
  return abs(before - claimed) <= abs(claimed) * kReproduced;
}

bool defined_slope(const Entry& entry) {
  constexpr double kDefined = 1e-6;
  return abs(entry.self_error) <= abs(entry.fine) * kDefined;
}

template <class T>
bool kinked(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales, const Aim& aim) {
  if (entry.jump == 0) return false;
  const T size = abs(entry.jump);
  return size > scales.scale * (kJumpMargin * aim.tolerance) &&
         size > T(kJumpOverEstimate * estimated_error(entry, scales));
}

template <class T>
bool beside_nothing(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales,
                    const Precision& precision) {
  const T size = std::max(largest(entry), T(abs(entry.jump)));
  return size <= T(scales.typical_gradient * precision.nothing);
}

template <class T>
EntryJudgement judge(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales, const Aim& aim,
                     const Precision& precision) {
  EntryJudgement judgement;
  const T error = abs(entry.error);
  if (!isfinite(error) || !isfinite(entry.self_error)) return {EntryVerdict::unresolved, 1, 1};
  const double estimate = estimated_error(entry, scales);
  judgement.error = over(error, scales.scale);
  judgement.estimate = over(T(estimate), scales.scale);
  const double limit = std::max(scales.typical_gradient, as_double(scales.scale)) * aim.tolerance;
  const bool noise_hides_it = !(scales.noise <= limit) || !(scales.permitted <= limit);
  if (error == 0 && entry.self_error == 0 && entry.jump == 0 &&
      !(entry.fine == 0 && noise_hides_it)) {
    judgement.verdict =
        entry.fine == 0 && scales.scale == 0 ? EntryVerdict::zero : EntryVerdict::certified;
    judgement.estimate = scales.scale == 0 ? 0 : judgement.estimate;
    return judgement;
  }
  // D(h) is 0, but the noise may hide a gradient.
  const bool last = precision.unit <= kRealUnit;
  if (error == 0 && entry.fine == 0 && noise_hides_it && !last) return judgement;
  const T size = largest(entry);
  const double most = as_double(size);
  const T apart = T(kFar * estimate) + scales.permitted;
  const bool zero =
      most <= scales.typical_gradient * precision.nothing && size <= apart && !noise_hides_it;
  // A jump far below the typical gradient is no kink: rounding alone leaves such a jump.
  if (!(zero && beside_nothing(entry, scales, precision)) && kinked(entry, scales, aim))
    return judgement;
  if (zero)
    return {EntryVerdict::zero, most / scales.typical_gradient,
            scales.noise / scales.typical_gradient};
  if (error <= T(scales.scale * aim.tolerance))
    judgement.verdict = EntryVerdict::certified;
  else if (error > apart && is_informative(entry, scales))
    judgement.verdict = EntryVerdict::wrong;
  return judgement;
}

EntryJudgement judge_by_size(const EntryOf<double>& entry, ErrorScalesOf<double> scales,
                             const Aim& aim, const Precision& precision) {
  // With the largest of typical gradients an entry counts as zero if it does with any.
  scales.typical_gradient = std::numeric_limits<double>::infinity();
  const EntryJudgement judgement = judge(entry, scales, aim, precision);
  const bool holds = judgement.verdict == EntryVerdict::certified && entry.fine != 0;
  return holds ? judgement : EntryJudgement{};
}

template Real scale_of(const Values<Entry>&);
template double scale_of(const Values<EntryOf<double>>&);
template ErrorScales error_scales_of(const Values<Entry>&, const Real&, double, double, double);
template ErrorScalesOf<double> error_scales_of(const Values<EntryOf<double>>&, const double&,
                                               double, double, double);
template ErrorScales error_scales_of_element(const ErrorScales&, const Entry&, double);
template bool kinked(const Entry&, const ErrorScales&, const Aim&);
template bool beside_nothing(const Entry&, const ErrorScales&, const Precision&);
template EntryJudgement judge(const Entry&, const ErrorScales&, const Aim&, const Precision&);

}  // namespace gradproof
