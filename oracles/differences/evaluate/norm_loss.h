// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/arithmetic/plain.h"
#include "oracles/differences/evaluate/exact_move.h"
#include "oracles/differences/evaluate/norm_surface.h"
#include "oracles/differences/evaluate/statistics_pipeline.h"
#include "oracles/differences/evaluate/unit_slice.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// L with one number moved, minus L, for every element of a unit, in N steps rather than N^2.
///
/// If z[i], an input of the norm, moves by delta, and e = delta rstd, all other xhat[k] become
///
///   (xhat[k] - v) (1 + g),   v = e/N,   (1 + g)^-2 = 1 + t,   t = e (2 xhat[i] + e - v) / N:
///
/// exactly the unit's new mean and variance + eps, in units of the old ones (eps and variance 0
/// make no difference). With S(v, g) = sum_k dy[k] (f((xhat[k] - v) (1 + g)) - f(xhat[k])), f the
/// pipeline behind xhat,
///
///   L' - L = S(v, g) + dy[i] (f((xhat[i] + e - v) (1 + g)) - f((xhat[i] - v) (1 + g))).
///
/// S is a function of two small numbers: its values at some nodes are computed as they stand, once
/// for a unit, and interpolated. No derivative of anything is used.
template <class T>
class NormLoss {
 public:
  /// All arguments must outlive this object; call forget() when the unit's numbers change.
  NormLoss(const CompiledPipeline& compiled, const Plain<T>& plain, const Unit<T>& unit)
      : parts_(compiled),
        plain_(plain),
        unit_(unit),
        before_(parts_.before),
        after_(parts_.after),
        rounding_(observed_rounding<T>()) {
    T ulp(1);
    for (; bits_ < kMostBits && all(rounding_ < ulp); ++bits_) ulp = ulp * T(0.5);
  }
  NormLoss(const NormLoss&) = delete;
  NormLoss& operator=(const NormLoss&) = delete;

  const StatisticsPipeline& parts() const { return parts_; }

  /// Must be called when the unit has other numbers than before.
  void forget() {
    standing_ = false;
    known_ = false;
    for (UnitSlice<T>* part : {&before_, &after_}) part->forget();
  }

  /// The normalised unit; only where parts().divided().
  const Values<T>& xhat() {
    if (!standing_) stand();
    return xhat_;
  }

  /// L' - L for each element of the T's in the range, its number of the tensor moved alone. It is
  /// NaN where the move leaves the interpolation's box or no box fits: another method is needed.
  const Values<T>& changes(const Movable& tensor, const PackRange& range, double move) {
    if (!known_) learn();
    before_.take(unit_, unit_.x, range);
    after_.take(unit_, xhat_, range);
    Values<T>& numbers = numbers_of(before_.unit(), tensor);
    rest_ = numbers;
    for (T& number : numbers) number = moved_exactly(number, T(move));
    move_elements(before_.forward(), range.first);
    numbers.swap(rest_);
    after_.unit().x.swap(held_);
    result_ = after_.forward();
    after_.unit().x.swap(moved_);
    const Values<T>& y = after_.forward();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const T change = after_.unit().dy[i] * (y[i] - result_[i]) + surface_(mean_[i], factor_[i]);
      const MaskOf<T> resolved = smooth_ & surface_.covers(mean_[i], factor_[i]);
      result_[i] = select(resolved, change, T(std::numeric_limits<double>::quiet_NaN()));
    }
    return result_;
  }

 private:
  static constexpr int kMostBits = 1400;
  static constexpr int kFirstBox = -12;
  /// A double-double holds nodes beside 1 exactly, multiples of a box of 2^-44 by 1/64. With 400
  /// digits the terms of the highest degree fall below the rounding in a box of 2^-96.
  int last_box() const { return bits_ > 400 ? -100 : -44; }

  /// The degree at which the terms of a box of 2^-12 of the distance to a singularity fall below
  /// the rounding, roughly.
  int degree() const { return std::min(std::max(bits_ / 12, 4), LejaNodes::kMost - 1); }

  void stand() {
    standing_ = true;
    before_.take(unit_, unit_.x, {0, unit_.x.size()});
    z_ = before_.forward();
    const Statistics<T> statistics = plain_.statistics(z_, parts_.eps);
    rstd_ = statistics.rstd;
    as_long_as(xhat_, z_);
    for (std::size_t i = 0; i < z_.size(); ++i) xhat_[i] = (z_[i] - statistics.mean) * rstd_;
  }

  void learn() {
    if (!standing_) stand();
    known_ = true;
    after_.take(unit_, xhat_, {0, xhat_.size()});
    value_ = after_.forward();
    smooth_ = (T(0) < rstd_) & fitted();
  }

  /// True if there is a box on which the interpolation is as accurate as the arithmetic. The widest
  /// such box is taken: the rounding errors of the nodes are damped near its middle.
  bool fitted() {
    as_long_as(result_, value_);
    for (std::size_t i = 0; i < value_.size(); ++i)
      result_[i] = size_of_number(T(unit_.dy[i] * value_[i]));
    const T allowed = plain_.sum(result_, kGradients) * rounding_ * T(64);
    for (int log2_box = kFirstBox; log2_box >= last_box();) {
      surface_.fit(degree(), std::ldexp(1, log2_box),
                   [&](double v, double g) { return sum_at(v, g); });
      T above = surface_.highest_terms();
      if (!any(!(above >= T(0))) && !any(allowed < above)) return true;
      const int before = log2_box;
      for (; any(allowed < above) && log2_box >= last_box(); --log2_box)
        above = above * T(std::ldexp(1, -degree()));
      if (log2_box == before) return false;
    }
    return false;
  }

  /// S(v, g).
  T sum_at(double v, double g) {
    Values<T>& x = after_.unit().x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (xhat_[i] - T(v)) * (T(1) + T(g));
    const Values<T>& y = after_.forward();
    for (std::size_t i = 0; i < y.size(); ++i) result_[i] = y[i] - value_[i];
    return plain_.dot(result_, unit_.dy, kGradients);
  }

  /// Computes v and g (mean_, factor_) of each moved element, and its xhat under the new statistics
  /// without its own move (held_) and with that move (moved_).
  void move_elements(const Values<T>& z, std::size_t first) {
    for (Values<T>* each : {&mean_, &factor_, &held_, &moved_}) as_long_as(*each, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const T& xhat = xhat_[first + i];
      const T e = (z[i] - z_[first + i]) * rstd_;
      const T v = e / plain_.count();
      const T t = e * ((xhat + xhat) + (e - v)) / plain_.count();
      const T root = sqrt(T(1) + t);
      mean_[i] = v;
      factor_[i] = -(t / (root * (T(1) + root)));
      const T whole = T(1) + factor_[i];
      held_[i] = (xhat - v) * whole;
      moved_[i] = (xhat + (e - v)) * whole;
    }
  }

  StatisticsPipeline parts_;
  const Plain<T>& plain_;
  const Unit<T>& unit_;
  UnitSlice<T> before_;  ///< the moved elements, up to the norm
  UnitSlice<T> after_;   ///< and behind it
  T rounding_;
  int bits_ = 0;
  bool standing_ = false;  ///< z_ and xhat_ are this unit's
  bool known_ = false;     ///< surface_ is this unit's
  MaskOf<T> smooth_ = false;
  Surface<T> surface_;
  T rstd_{};
  Values<T> z_;
  Values<T> xhat_;
  Values<T> value_;  ///< y
  Values<T> mean_;
  Values<T> factor_;
  Values<T> held_;
  Values<T> moved_;
  Values<T> rest_;
  Values<T> result_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
