// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>

#include "oracles/arithmetic/forms.h"

namespace gradproof {

/// How one type of number rounds: unit roundoff, half the smallest subnormal, largest finite
/// number.
struct Binary32 {
  static constexpr double u = 0x1p-24;
  static constexpr double eta = 0x1p-150;
  static constexpr double largest = FLT_MAX;
  static constexpr bool nearest = true;
  /// |v| is off by less than the radius where the contract's type is as coarse as double: products
  /// of two radii count as often as there are sources of such an error.
  static constexpr double second_order = 1;
};
struct Binary64 {
  static constexpr double u = 0x1p-53;
  static constexpr double eta = DBL_TRUE_MIN;  // its half is no double
  static constexpr double largest = DBL_MAX;
  static constexpr bool nearest = true;
  static constexpr double second_order = 3;
};

/// A value with what a computation in the number type F may add to it: an independent error of at
/// most e, and for each Symbol a signed coefficient times one unknown number in [-1, 1] that all
/// elements of the unit share, so that it cancels in sums as the kernel's own error does.
/// docs/bounds.md derives every rule. The arithmetic of the bookkeeping itself is double.
template <class F>
struct ErrorScalar {
  double v = 0;
  double e = 0;
  std::array<double, kSymbols> c{};
  bool vacuous = false;  ///< first order says nothing here
  /// F's range may have been left on the way, or the class of a NaN or infinity hangs on an error:
  /// a kernel may answer any of them. What the inputs say themselves, Inf or NaN, does not set it.
  bool overflow = false;

  ErrorScalar() = default;
  explicit ErrorScalar(double exact) : v(exact) {}

  /// |computed - exact| <= total().
  double total() const {
    double t = e;
    for (const double k : c) t += std::abs(k);
    return t;
  }

  /// Its error reaches 0 or beyond: Inf times it, or it over 0, is Inf of either sign or NaN.
  bool may_be_zero() const { return vacuous || (total() > 0 && std::abs(v) <= total()); }

  /// p*a + q*b for the errors only; the value is set by the caller.
  static ErrorScalar linear(double p, const ErrorScalar& a, double q, const ErrorScalar& b) {
    ErrorScalar r;
    r.e = std::abs(p) * a.e + std::abs(q) * b.e;
    for (std::size_t k = 0; k < kSymbols; ++k) r.c[k] = p * a.c[k] + q * b.c[k];
    r.vacuous = a.vacuous || b.vacuous;
    r.overflow = a.overflow || b.overflow;
    return r;
  }

  /// One rounding of the result, and whether the result is surely within F's range.
  ErrorScalar rounded(double underflow) const {
    ErrorScalar r = *this;
    const double magnitude = std::abs(v) + total();
    r.e += F::u * magnitude + underflow;
    r.overflow = overflow || (std::isfinite(v) && !(magnitude <= F::largest));
    return r;
  }

  friend ErrorScalar operator+(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(1, a, 1, b);
    r.v = a.v + b.v;
    return r.rounded(0);
  }
  friend ErrorScalar operator-(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(1, a, -1, b);
    r.v = a.v - b.v;
    return r.rounded(0);
  }
  friend ErrorScalar operator*(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(b.v, a, a.v, b);
    r.v = a.v * b.v;
    r.e += F::second_order * a.total() * b.total();
    r.overflow =
        r.overflow || (std::isinf(a.v) && b.may_be_zero()) || (std::isinf(b.v) && a.may_be_zero());
    return r.rounded(F::eta);
  }
  /// By an exact number; a power of two only shifts the exponent.
  friend ErrorScalar operator/(const ErrorScalar& a, double d) {
    ErrorScalar r = linear(1 / d, a, 0, a);
    r.v = a.v / d;
    r.overflow = r.overflow || (d == 0 && a.may_be_zero());
    int exponent = 0;
    if (std::frexp(std::abs(d), &exponent) != 0.5) return r.rounded(F::eta);
    r.e += F::eta;
    r.overflow = r.overflow || (std::isfinite(r.v) && !(std::abs(r.v) + r.total() <= F::largest));
    return r;
  }
};

}  // namespace gradproof
