// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "core/contract.h"
#include "oracles/arithmetic/error_scalar.h"
#include "oracles/stage.h"

namespace gradproof {

/// Errors of mean, variance and 1/std of one unit, by the way the contract computes them.
/// docs/bounds.md derives the rules.
template <class F>
class StatisticsRule {
 public:
  using Scalar = ErrorScalar<F>;

  StatisticsRule(const Contract& contract, std::int64_t chain)
      : variance_(contract.variance),
        rsqrt_((contract.rsqrt_error + 0.5) * F::u),
        chain_(static_cast<double>(chain)) {}

  Statistics<Scalar> operator()(const Values<Scalar>& x, double eps) const {
    const Moments m = moments(x);
    const double mean_error = error_of_mean(m);
    Statistics<Scalar> result{Scalar(m.mean), Scalar(m.variance), Scalar()};
    const bool overflow = m.overflow || leaves_range(m);
    result.mean.c[static_cast<std::size_t>(Symbol::mean)] = mean_error + m.inherited;
    result.mean.vacuous = m.vacuous;
    result.mean.overflow = overflow;
    result.variance.e = m.inherited_variance + 2 * F::eta + mean_error * mean_error +
                        error_of_variance(m, mean_error);
    result.variance.vacuous = m.vacuous;
    result.variance.overflow = overflow;
    result.rstd = rstd(result.variance, eps);
    return result;
  }

  /// 1/sqrt(variance + eps); its error is the same for every element of the unit.
  Scalar rstd(const Scalar& variance, double eps) const {
    const double w = variance.v + eps;
    const double error = variance.total();
    const double least = std::max(w - error, eps);
    const double above = std::sqrt(w / least) * (1 + rsqrt_) - 1;
    const double below = 1 - std::sqrt(w / (w + error)) * (1 - rsqrt_);
    const double rho = std::max(above, below);
    Scalar r(1 / std::sqrt(w));
    r.c[static_cast<std::size_t>(Symbol::rstd)] = r.v * rho * (1 + F::u);
    r.vacuous = variance.vacuous || !(rho <= 0.5);
    r.overflow = variance.overflow || (std::isfinite(w) && !(w + error <= F::largest));
    return r;
  }

 private:
  struct Moments {
    double count = 0;
    double mean = 0;
    double variance = 0;
    double magnitude = 0;           ///< A = mean(|x|+e)
    double square = 0;              ///< Q = mean((|x|+e)^2)
    double inherited = 0;           ///< mean e
    double inherited_variance = 0;  ///< D
    double finite_magnitude = 0;    ///< A over the finite numbers only
    bool vacuous = false;
    bool overflow = false;
  };

  static Moments moments(const Values<Scalar>& x) {
    Moments m;
    m.count = static_cast<double>(x.size());
    for (const Scalar& s : x) m.mean += s.v / m.count;
    for (const Scalar& s : x) {
      const double e = s.total();
      const double d = s.v - m.mean;
      const double size = std::abs(s.v) + e;
      m.variance += d * d / m.count;
      m.magnitude += size / m.count;
      if (std::isfinite(s.v)) m.finite_magnitude += size / m.count;
      m.square += size * size / m.count;
      m.inherited += e / m.count;
      m.inherited_variance += (2 * std::abs(d) * e + e * e) / m.count;
      m.vacuous = m.vacuous || s.vacuous;
      m.overflow = m.overflow || s.overflow;
    }
    return m;
  }

  double growth() const { return chain_ * F::u * (1 + chain_ * F::u); }

  static bool power_of_two(double n) {
    int exponent = 0;
    return std::frexp(n, &exponent) == 0.5;
  }

  double error_of_mean(const Moments& m) const {
    if (m.count <= 1) return 0;
    const double mean = std::abs(m.mean) + m.inherited;
    const double deviation = std::sqrt(m.variance + m.inherited_variance);
    if (variance_ == Variance::welford)
      return growth() * m.magnitude + 3 * F::u * std::sqrt(1.25 * levels(m.count)) * deviation +
             (chain_ + 2) * F::eta;
    return growth() * m.magnitude + (power_of_two(m.count) ? 0 : F::u) * mean + F::eta;
  }

  /// Welford's rounding errors of the partial means meet this many levels of joining at most: each
  /// level of a tree is one, a whole sequential lane is one, and a chain no longer than g.
  double levels(double count) const { return std::min(chain_, 2 + std::ceil(std::log2(count))); }

  double error_of_variance(const Moments& m, double mean_error) const {
    const double mean = std::abs(m.mean) + m.inherited;
    const double spread = m.variance + m.inherited_variance;
    const double g = growth();
    const double u = F::u;
    if (variance_ == Variance::two_pass) return (g + 4 * u) * (spread + mean_error * mean_error);
    if (variance_ == Variance::one_pass)
      return (g + 2 * u) * m.square + u * mean * mean + u * spread + 2 * mean * mean_error;
    if (m.count <= 1) return 0;
    const double earlier = std::min(8 * (chain_ - 1), 14 + levels(m.count));
    return (3 * g + (13 + 6 * std::sqrt(earlier)) * u) * spread + 3 * F::eta +
           ((2 * g + 1.5 * u) * mean + 2 * (chain_ + 2) * F::eta) * std::sqrt(spread);
  }

  /// Sums of x and of squares stay in F's range.
  bool leaves_range(const Moments& m) const {
    if (!(m.count * m.finite_magnitude <= F::largest)) return true;
    if (!std::isfinite(m.mean)) return false;  // an input says so itself
    const double squares =
        variance_ == Variance::one_pass ? m.square : m.variance + m.inherited_variance;
    return !(m.count * m.magnitude <= F::largest) || !(m.count * squares <= F::largest);
  }

  Variance variance_;
  double rsqrt_;
  double chain_;
};

}  // namespace gradproof
