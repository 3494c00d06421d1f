// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "core/claim/contract.h"
#include "oracles/bounds/error_scalar.h"
#include "oracles/bounds/unit_moments.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Errors of mean, variance and 1/std of one unit, for the formula that the contract names.
/// docs/bounds.md derives the rules. The numbers of the unit have type V, its statistics double.
template <class F, class V = double>
class StatisticsRule {
 public:
  using Scalar = ErrorScalar<F, V>;
  using One = ErrorScalar<F>;

  StatisticsRule(const Contract& contract, std::int64_t chain)
      : StatisticsRule(contract.variance, contract.rsqrt_error, chain) {}
  /// `rsqrt_error` is the error of 1/sqrt in units of u.
  StatisticsRule(Variance variance, double rsqrt_error, std::int64_t chain)
      : variance_(variance),
        rsqrt_((rsqrt_error + 0.5) * F::u),
        chain_(static_cast<double>(chain)) {}

  /// The statistics of the first `count` numbers in x, equal in all lanes.
  Statistics<Scalar> operator()(const Values<Scalar>& x, std::int64_t count, double eps) const {
    const Statistics<One> found = of(unit_moments<F, V>(x, count), eps);
    return {Scalar::everywhere(found.mean), Scalar::everywhere(found.variance),
            Scalar::everywhere(found.rstd)};
  }

  /// The statistics of a unit with these moments.
  Statistics<One> of(const UnitMoments& m, double eps) const {
    const double mean_error = error_of_mean(m);
    One mean(m.mean);
    One variance(m.variance);
    mean.of(SharedError::mean) = mean_error + m.inherited;
    mean.vacuous = m.vacuous;
    mean.overflow = m.overflow || sum_leaves_range(m);
    variance.e = m.inherited_variance + 2 * eta() + mean_error * mean_error +
                 error_of_variance(m, mean_error);
    variance.vacuous = m.vacuous;
    variance.overflow = mean.overflow || squares_leave_range(m, variance.v + variance.e);
    return {mean, variance, rstd(variance, eps)};
  }

  /// 1/sqrt(variance + eps); its error is the same for every element of the unit.
  One rstd(const One& variance, double eps) const {
    const double w = variance.v + eps;
    // If F flushes, variance, eps and their sum may count as 0.
    const double error = variance.total() + (F::flushes ? 3 * F::eta : 0);
    const double least = std::max(w - error, F::flushes && eps < F::eta ? 0 : eps);
    const double above = std::sqrt(w / least) * (1 + rsqrt_) - 1;
    const double below = 1 - std::sqrt(w / (w + error)) * (1 - rsqrt_);
    const double rho = std::max(above, below);
    One r(1 / std::sqrt(w));
    r.of(SharedError::rstd) = r.v * rho * (1 + F::u);
    r.vacuous = variance.vacuous || !(rho <= 0.5);
    r.overflow = variance.overflow || (std::isfinite(w) && !(w + error <= F::largest));
    return r;
  }

 private:
  /// The underflow error of a formula. If F flushes to zero, each of its steps may lose a
  /// number.
  static double eta() { return F::flushes ? 8 * F::eta : F::eta; }

  double growth() const { return chain_ * F::u * (1 + chain_ * F::u); }

  /// The growth of a sum relative to `sizes`, `likely` being the likely error if it is known.
  double likely_growth(double likely, double sizes, double inherited) const {
    if (!(likely < growth() * sizes)) return growth();
    return std::min(growth(), likely / sizes + growth() * (inherited / sizes));
  }
  double growth_of_mean(const UnitMoments& m) const {
    return likely_growth(m.likely_mean, m.magnitude, m.inherited);
  }
  double growth_of_squares(const UnitMoments& m) const {
    return likely_growth(m.likely_variance, m.variance + m.inherited_variance,
                         m.inherited_variance);
  }
  /// The growth of the sum of the squares of the numbers themselves. They look drawn at random
  /// where the numbers and their deviations do, and where these are not too small beside the mean
  /// for the last partial sums' digits.
  double growth_about_zero(const UnitMoments& m) const {
    const bool is_narrow = std::sqrt(m.variance) < 8 * F::u * m.count * std::abs(m.mean);
    if (is_narrow || !(m.likely_mean < HUGE_VAL)) return growth();
    return growth_of_squares(m);
  }

  double error_of_mean(const UnitMoments& m) const {
    if (m.count <= 1) return F::flushes ? eta() : 0;
    const double mean = std::abs(m.mean) + m.inherited;
    const double deviation = std::sqrt(m.variance + m.inherited_variance);
    if (variance_ == Variance::welford)
      return growth_of_mean(m) * m.magnitude +
             3 * F::u * std::sqrt(1.25 * levels(m.count)) * deviation + (chain_ + 2) * eta();
    return growth_of_mean(m) * m.magnitude + (is_power_of_two(m.count) ? 0 : F::u) * mean + eta();
  }

  /// The rounding errors of Welford's partial means meet at most so many levels of joining: each
  /// level of a tree is one, a whole sequential lane is one, and there are at most chain_ of them.
  double levels(double count) const { return std::min(chain_, 2 + std::ceil(std::log2(count))); }

  double error_of_variance(const UnitMoments& m, double mean_error) const {
    const double mean = std::abs(m.mean) + m.inherited;
    const double spread = m.variance + m.inherited_variance;
    const double g = growth_of_squares(m);
    const double u = F::u;
    if (variance_ == Variance::two_pass) return (g + 4 * u) * (spread + mean_error * mean_error);
    if (variance_ == Variance::one_pass)
      return (growth_about_zero(m) + 2 * u) * m.square + u * mean * mean + u * spread +
             2 * mean * mean_error;
    if (m.count <= 1) return 0;
    const double earlier = std::min(8 * (chain_ - 1), 14 + levels(m.count));
    return (3 * g + (13 + 6 * std::sqrt(earlier)) * u) * spread + (3 + levels(m.count)) * eta() +
           ((2 * growth_of_mean(m) + 1.5 * u) * mean + 2 * (chain_ + 2) * eta()) *
               std::sqrt(spread);
  }

  /// Bounds the quotient of a computed partial sum over sum |x|, and for Welford that of the
  /// difference of two partial means too. A single number is not added to anything: 1.
  double growth_of_sum(double count) const {
    if (count <= 1) return 1;
    const bool welford = variance_ == Variance::welford;
    const double joined = welford ? 3 * F::u * std::sqrt(1.25 * levels(count)) : 0;
    return 1 + growth() + joined + kBookkeeping;
  }

  /// True if a partial sum of the finite numbers may overflow. This counts beside an infinite
  /// number too: an overflow with the other sign makes the sum NaN.
  bool sum_leaves_range(const UnitMoments& m) const {
    return !(m.count * m.finite_reach * growth_of_sum(m.count) <= F::largest);
  }

  /// True if a sum of squares may overflow. Two-pass sums N times a variance of at most `largest`;
  /// one-pass sums the squares of x; Welford squares the difference of two partial means, where
  /// (a - b)^2 <= 2 (a^2 + b^2) is at most twice the sum of all squares.
  bool squares_leave_range(const UnitMoments& m, double largest) const {
    if (!std::isfinite(m.mean)) return false;  // an input is NaN or infinite: no overflow
    double squares = largest;
    const double grown = growth_of_sum(m.count);
    if (variance_ == Variance::one_pass) squares = std::max(squares, m.square * (grown + 2 * F::u));
    if (variance_ == Variance::welford) squares = std::max(squares, 2 * m.square * grown * grown);
    return !(m.count * squares * (1 + kBookkeeping) <= F::largest);
  }

  Variance variance_;
  double rsqrt_;
  double chain_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
