// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/double_double.h"
#include "oracles/arithmetic/exp_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A real number known to lie within `radius` of hi + lo. About 30 digits at a tenth of the price
/// of Real. Whatever overflows, divides by what may be 0 or leaves a function's domain has the
/// radius infinity: not decided here; its hi and lo then mean nothing.
///
/// Usable as the T of Plain<T>. Comparisons see hi + lo alone. In the stages' text only `logistic`
/// compares, and both of its branches are the same function: with the wrong one the radius holds
/// still.
struct Certified {
  double hi = 0;
  double lo = 0;
  double radius = 0;

  Certified() = default;
  explicit Certified(double value)
      : hi(value), radius(std::isfinite(value) ? 0 : std::numeric_limits<double>::infinity()) {}
  Certified(double high, double low, double error) : hi(high), lo(low), radius(error) {}

  DoubleDouble value() const { return {hi, lo}; }
  bool decided() const { return radius < std::numeric_limits<double>::infinity(); }

  Certified operator-() const { return {-hi, -lo, radius}; }
  Certified& operator+=(const Certified& o);
};

/// The radius is kept in double, to nearest. No formula below has more than 12 roundings or factors
/// 1 + u (for |hi + lo| <= (1 + u)|hi|) on the way to a term of the radius; this factor is 32 u.
inline constexpr double kUpward = 1 + 0x1p-48;
inline constexpr double kDownward = 1 - 0x1p-50;

/// Far above what underflows, eta and a few of it, in the value or the radius; and far enough below
/// anything in float32, so that its products are still normal numbers, which are fast.
inline constexpr double kUnderflow = 0x1p-800;

inline constexpr double kUnitSquared = kUnit * kUnit;

/// An error that is infinite or NaN becomes infinite: minsd takes the second operand for a NaN.
[[gnu::always_inline]] inline Certified certified(const DoubleDouble& v, double error) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double radius = error * kUpward;
  return {v.hi, v.lo, radius < kInfinity ? radius : kInfinity};
}

/// No kUnderflow in sums: value and error are whole multiples of eta, and so is the rounded term
/// 3 u^2 |sum|, which then is no smaller than an error that it bounds before rounding.
[[gnu::always_inline]] inline Certified operator+(const Certified& a, const Certified& b) {
  const DoubleDouble sum = plus(a.value(), b.value());
  return certified(sum, (a.radius + b.radius) + 3 * kUnitSquared * std::fabs(sum.hi));
}

[[gnu::always_inline]] inline Certified operator+(const Certified& a, double b) {
  const DoubleDouble sum = plus(a.value(), b);
  return certified(sum, a.radius + 2 * kUnitSquared * std::fabs(sum.hi));
}

[[gnu::always_inline]] inline Certified operator-(const Certified& a, const Certified& b) {
  return a + -b;
}
[[gnu::always_inline]] inline Certified operator-(const Certified& a, double b) { return a + -b; }

inline Certified& Certified::operator+=(const Certified& o) { return *this = *this + o; }

/// |(a + da)(b + db) - a b| <= |a||db| + |da|(|b| + |db|).
[[gnu::always_inline]] inline Certified operator*(const Certified& a, const Certified& b) {
  const DoubleDouble product = times(a.value(), b.value());
  const double operands = std::fabs(a.hi) * b.radius + a.radius * (std::fabs(b.hi) + b.radius);
  return certified(product, operands + 8 * kUnitSquared * std::fabs(product.hi) + kUnderflow);
}

[[gnu::always_inline]] inline Certified operator*(const Certified& a, double b) {
  const DoubleDouble product = times(a.value(), b);
  return certified(product,
                   a.radius * std::fabs(b) + 4 * kUnitSquared * std::fabs(product.hi) + kUnderflow);
}

/// (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db), and |b + db| >= |b| - |db| > 0.
[[gnu::always_inline]] inline Certified operator/(const Certified& a, const Certified& b) {
  const DoubleDouble quotient = over(a.value(), b.value());
  const double size = std::fabs(quotient.hi);
  const double least = std::fabs(b.hi) * kDownward - b.radius;
  const double operands = a.radius + (size + kUnderflow) * b.radius + kUnderflow;
  const double spread = least > 0 ? operands / least : std::numeric_limits<double>::infinity();
  return certified(quotient, spread + 14 * kUnitSquared * size + kUnderflow);
}

[[gnu::always_inline]] inline Certified operator/(const Certified& a, double b) {
  const DoubleDouble quotient = over(a.value(), b);
  return certified(quotient, (a.radius + kUnderflow) / std::fabs(b) +
                                 6 * kUnitSquared * std::fabs(quotient.hi) + kUnderflow);
}

/// Where hi are equal lo decides.
[[gnu::always_inline]] inline bool operator<(const Certified& a, const Certified& b) {
  return a.hi == b.hi ? a.lo < b.lo : a.hi < b.hi;
}
[[gnu::always_inline]] inline bool operator>=(const Certified& a, const Certified& b) {
  return a.hi == b.hi ? a.lo >= b.lo : a.hi >= b.hi;
}

/// |sqrt(a + da) - sqrt(a)| = |da|/(sqrt(a + da) + sqrt(a)) <= |da|/sqrt(a). Undecided unless all
/// of the ball is positive, so at 0 too.
[[gnu::always_inline]] inline Certified sqrt(const Certified& a) {
  const DoubleDouble value = root(a.value());
  const double spread = a.radius < a.hi * kDownward ? (a.radius + kUnderflow) / value.hi
                                                    : std::numeric_limits<double>::infinity();
  return certified(value, spread + 6 * kUnitSquared * value.hi);
}

/// |e^(a + da) - e^a| <= e^a (e^|da| - 1) <= e^a |da| (1 + |da|) for |da| <= 1; beyond, undecided,
/// and above 690. Below -690 the value lies between 0 and e^-689 < 2^-994, far within kUnderflow.
[[gnu::always_inline]] inline Certified exp(const Certified& a) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(std::fabs(a.hi) <= kExpRange)) [[unlikely]]
    return {0, 0, a.hi < 0 && a.radius <= 1 ? kUnderflow : kInfinity};
  const DoubleDouble value = exponential(a.value());
  const double relative = a.radius <= 1 ? a.radius * (1 + a.radius) + kExpError : kInfinity;
  return certified(value, value.hi * relative + kUnderflow);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
