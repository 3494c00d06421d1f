// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/bounds/error_scalar.h"
#include "oracles/bounds/summand_statistics.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Moments of the numbers x of one unit and of their errors e, in double.
struct UnitMoments {
  double count = 0;
  double mean = 0;
  double variance = 0;
  double magnitude = 0;           ///< A = mean(|x|+e)
  double square = 0;              ///< Q = mean((|x|+e)^2)
  double inherited = 0;           ///< mean e
  double inherited_variance = 0;  ///< D = mean(2 |x - mean| e + e^2)
  double finite_reach = 0;        ///< mean of reach() over the finite numbers
  bool vacuous = false;
  bool overflow = false;
  /// The likely rounding errors of the mean's and the variance's additions; infinite if not known.
  double likely_mean = std::numeric_limits<double>::infinity();
  double likely_variance = std::numeric_limits<double>::infinity();
};

/// The sums behind the moments, lane by lane.
template <class F, class V>
struct MomentSums {
  V variance = 0;
  V magnitude = 0;
  V square = 0;
  V inherited = 0;
  V inherited_variance = 0;
  V finite = 0;
  MaskOf<V> vacuous = false;
  MaskOf<V> overflow = false;

  /// Adds one number; only the lanes in `there` count. If F flushes to zero, x, the mean and
  /// their difference may each count as 0: 4 eta.
  [[gnu::always_inline]] void add(const ErrorScalar<F, V>& s, const V& mean,
                                  const MaskOf<V>& there) {
    const V e = s.total() + (F::flushes ? 4 * F::eta : 0);
    const V d = s.v - mean;
    const V size = abs(s.v) + e;
    if (numbers.is_asked()) take_likely(s.v, d);
    variance += select(there, V(d * d), V(0));
    magnitude += select(there, size, V(0));
    finite += select(there & is_finite(s.v), F::value_is_exact ? size : s.reach(), V(0));
    square += select(there, V(size * size), V(0));
    inherited += select(there, e, V(0));
    inherited_variance += select(there, V(2 * abs(d) * e + e * e), V(0));
    vacuous = vacuous | (there & s.vacuous);
    overflow = overflow | (there & s.overflow);
  }

  /// Asks for the likely errors too, of numbers that are all there.
  void ask(const LikelySetting& setting) {
    numbers = SummandStatistics<F, V>(setting);
    deviations = SummandStatistics<F, V>(setting);
  }

  static double mean_of(const V& sum, double count) { return lane(sum_of_lanes(sum), 0) / count; }

  UnitMoments moments(double count, double mean) const {
    return {count,
            mean,
            mean_of(variance, count),
            mean_of(magnitude, count),
            mean_of(square, count),
            mean_of(inherited, count),
            mean_of(inherited_variance, count),
            mean_of(finite, count),
            any(vacuous),
            any(overflow)};
  }

  /// The moments of lane i, where each lane is a unit of its own.
  UnitMoments of_lane(int i, double count, double mean) const {
    UnitMoments m = certain_of_lane(i, count, mean);
    if (!numbers.is_asked()) return m;
    m.likely_mean = numbers.of_lane(i).growth(lane(total, i), lane(sizes, i)) / count;
    m.likely_variance = deviations.of_lane(i).growth(lane(variance, i), lane(variance, i)) / count;
    return m;
  }

  V total = 0;  ///< where likely errors are asked for
  V sizes = 0;  ///< the same, of the numbers
  SummandStatistics<F, V> numbers;
  SummandStatistics<F, V> deviations;  ///< squared

 private:
  [[gnu::always_inline]] void take_likely(const V& x, const V& d) {
    total += x;
    sizes += abs(x);
    numbers.add(x, total, sizes);
    const V deviation = d * d;
    deviations.add(deviation, V(variance + deviation), V(variance + deviation));
  }

  UnitMoments certain_of_lane(int i, double count, double mean) const {
    return {count,
            mean,
            lane(variance, i) / count,
            lane(magnitude, i) / count,
            lane(square, i) / count,
            lane(inherited, i) / count,
            lane(inherited_variance, i) / count,
            lane(finite, i) / count,
            lane(vacuous, i),
            lane(overflow, i)};
  }
};

/// The moments of the first `count` numbers in x.
template <class F, class V>
UnitMoments unit_moments(const Values<ErrorScalar<F, V>>& x, std::int64_t count) {
  using Sums = MomentSums<F, V>;
  if (x.size() == 0) return {};
  const std::size_t last = x.size() - 1;
  const auto n = static_cast<double>(count);
  const MaskOf<V> there = first_lanes<V>(count - static_cast<std::int64_t>(last) * kLanesOf<V>);
  V total = 0;
  for (std::size_t i = 0; i < last; ++i) total += x[i].v;
  total += select(there, x[last].v, V(0));
  const double mean = Sums::mean_of(total, n);
  Sums sums;
  for (std::size_t i = 0; i < last; ++i) sums.add(x[i], mean, true);
  sums.add(x[last], mean, there);
  return sums.moments(n, mean);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
