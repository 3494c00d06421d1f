// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/real_of.h"

namespace gradproof {

/// A bound on the rounding of MPFR's numbers: their own arithmetic would cost more than the numbers
/// themselves.
using Bound = long double;
static_assert(std::numeric_limits<Bound>::max_exponent >= 16384);

/// |v| to a factor of 1 + 2^-53: a double where v consists of doubles, else a Bound.
template <class T>
auto magnitude(const T& v) {
  if constexpr (kIsWide<T>) {
    return std::abs(v.hi);
  } else {
    constexpr long kBeyond = 40000;  // from here on a Bound is 0 or infinite
    long exponent = 0;
    const double mantissa = mpfr_get_d_2exp(&exponent, v.backend().data(), MPFR_RNDN);
    return std::ldexp(Bound(std::abs(mantissa)),
                      static_cast<int>(std::clamp(exponent, -kBeyond, kBeyond)));
  }
}

/// A number in T with a running bound on the absolute error that an arithmetic makes (Higham,
/// Accuracy and Stability of Numerical Algorithms, 2002, 3.3); infinite or NaN where there is no
/// bound. The arithmetic rounds correctly to the digits of T, or has kErrors, sums of doubles: then
/// the error of a sum is relative to |a| + |b|, and parts underflow. T is that arithmetic, or a
/// wider one that stands for exact numbers. The bound is rounded itself, by less than a factor of 2
/// in 2^50 operations, and holds what underflows in it. Usable as the T of Plain<T>. Comparisons
/// use the value, which is safe because both branches of `logistic` are one function.
template <class T, const WideErrors* kErrors = nullptr>
struct Rounded {
  using Error = decltype(magnitude(T(0)));
  /// Whether kErrors is given: by types, as sanitizers let no compiler compare its address.
  static constexpr bool kOfDoubles = !std::is_same_v<Rounded, Rounded<T>>;

  T value{0};
  Error error{0};

  Rounded() = default;
  explicit Rounded(double number) : value(number) {}
  Rounded(const T& number, const Error& bound) : value(number), error(bound) {}

  Rounded operator-() const { return {-value, error}; }
  Rounded& operator+=(const Rounded& o) { return *this = *this + o; }

  /// 0 without an error: products with it and quotients of it are 0 too.
  bool is_zero() const { return error == 0 && magnitude(value) == 0; }

  /// The error of one operation, relative to `size`.
  static Error rounding(const Error& size, double WideErrors::*operation) {
    if constexpr (kOfDoubles)
      return size * Error(kErrors->unit * (kErrors->*operation));
    else
      return size * std::ldexp(Error(1), 2 - std::numeric_limits<T>::digits);
  }

  [[gnu::always_inline]] friend Rounded operator+(const Rounded& a, const Rounded& b) {
    return summed(a, b, T(a.value + b.value));
  }
  [[gnu::always_inline]] friend Rounded operator-(const Rounded& a, const Rounded& b) {
    return summed(a, b, T(a.value - b.value));
  }
  /// |(a + da)(b + db) - a b| <= |a||db| + |da|(|b| + |db|).
  [[gnu::always_inline]] friend Rounded operator*(const Rounded& a, const Rounded& b) {
    if (a.is_zero() || b.is_zero()) return {a.value * b.value, Error(0)};
    return after(a.value * b.value,
                 (magnitude(a.value) + a.error) * b.error + a.error * magnitude(b.value),
                 &WideErrors::product);
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    return divided(a, a.value / b.value, magnitude(b.value), b.error);
  }
  friend Rounded operator/(const Rounded& a, double b) {
    return divided(a, a.value / b, Error(std::abs(b)), Error(0));
  }

  friend bool operator<(const Rounded& a, const Rounded& b) { return a.value < b.value; }
  friend bool operator>=(const Rounded& a, const Rounded& b) { return a.value >= b.value; }
  friend Real real_of(const Rounded& v) { return real_of(v.value); }

  /// |sqrt(a + da) - sqrt(a)| <= |da|/sqrt(a).
  friend Rounded sqrt(const Rounded& a) {
    const T root = sqrt(a.value);
    const Error size = magnitude(a.value);
    if (!(a.error < size)) return {root, unbounded()};
    Error operand = a.error;
    add_underflow(operand, size);
    return after(root, operand / magnitude(root), &WideErrors::root);
  }
  /// |e^(a + da) - e^a| <= e^a |da| (1 + |da|) for |da| <= 1. In doubles 0 below -690, in place of
  /// at most e^-689 < 2^-994.
  friend Rounded exp(const Rounded& a) {
    const T value = exp(a.value);
    if (!(a.error <= 1)) return {value, unbounded()};
    const Error size = magnitude(value);
    Error operands = size * a.error * (1 + a.error);
    if (kOfDoubles && a.value < T(Error(a.error - kExpRange)))
      operands += kIsWide<T> ? Error(0x1p-994) : Error(size * 3);
    return after(value, operands, &WideErrors::exponential);
  }

 private:
  static Error unbounded() { return Error(std::numeric_limits<double>::infinity()); }

  /// The absolute error by underflow of one operation in double-doubles or triple-doubles with a
  /// result of this size, before a division: its parts, of which the last is 2^-159 of the first,
  /// lose below 2^-1060 together. Of a size from 2^-900 they lose below 2^-170 of it, which is
  /// nothing beside the unit. MPFR's numbers lose nothing, but their Bound below 2^-16000 may.
  static void add_underflow(Error& error, const Error& size) {
    if constexpr (kOfDoubles) {
      if (size < 0x1p-900) error += Error(0x1p-1060);
    } else {
      if (size < 0x1p-16000L) error += 0x1p-16300L;
    }
  }

  /// The result of one operation: the error from its operands, and its own.
  [[gnu::always_inline]] static Rounded after(const T& value, const Error& operands,
                                              double WideErrors::*operation) {
    const Error size = magnitude(value);
    Rounded result(value, operands + rounding(size, operation));
    add_underflow(result.error, size);
    return result;
  }

  [[gnu::always_inline]] static Rounded summed(const Rounded& a, const Rounded& b, const T& sum) {
    const Error size = kOfDoubles ? Error(magnitude(a.value) + magnitude(b.value)) : magnitude(sum);
    Rounded result(sum, a.error + b.error + rounding(size, &WideErrors::sum));
    if constexpr (!kOfDoubles)
      if (sum != 0) add_underflow(result.error, size);
    return result;
  }

  /// (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db), b by its size. As magnitude() holds 2^-53
  /// of |b| only, |db| counts twice where it is not far below |b|.
  static Rounded divided(const Rounded& a, const T& quotient, const Error& size,
                         const Error& error) {
    const Error least = size - 2 * error;
    if (!(least > 0)) return {quotient, unbounded()};
    if (a.is_zero()) return {quotient, Error(0)};
    Error operands = a.error + magnitude(quotient) * error;
    add_underflow(operands, magnitude(a.value));
    return after(quotient, operands / least, &WideErrors::quotient);
  }
};

/// What doubles lose by underflow alone, as if they were correct otherwise.
inline constexpr WideErrors kUnderflowOnly{};

/// Triple-doubles, about 47 digits, and 50 digits, each with a bound on its rounding. The witnesses
/// compute in Quick or Rough first and repeat in Sure what does not agree there; only results in
/// Sure make a witness wrong or silent.
using Quick = Rounded<TripledOf<double>, &kTripledErrors>;
using Sure = Rounded<Real>;
/// Double-doubles, about 31 digits. A bound on their rounding is not needed where two ways agree.
using Rough = Rounded<DoubledOf<double>, &kUnderflowOnly>;

}  // namespace gradproof
