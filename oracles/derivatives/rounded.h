// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real_of.h"
#include "oracles/differences/exact.h"

namespace gradproof {

/// The rounding of an arithmetic: relative errors of one operation (kErrors, in multiples of
/// unit()). The error of a sum is relative to |a| + |b| where kOfOperands, else to the result.
struct CorrectRounding {
  static constexpr bool kOfOperands = false;
  static constexpr bool kUnderflows = false;
  template <class T>
  static T unit() {
    return ldexp(T(1), 2 - std::numeric_limits<T>::digits);
  }
  static constexpr WideErrors kErrors{1, 1, 1, 1, 1, 1, 1};
};
struct TripleDoubleRounding {
  static constexpr bool kOfOperands = true;
  static constexpr bool kUnderflows = true;
  template <class T>
  static T unit() {
    return T(kTripledErrors.unit);
  }
  static constexpr WideErrors kErrors = kTripledErrors;
};
/// What doubles lose by underflow alone, as if they were correct otherwise.
struct UnderflowOnly {
  static constexpr bool kOfOperands = true;
  static constexpr bool kUnderflows = true;
  template <class T>
  static T unit() {
    return T(0);
  }
  static constexpr WideErrors kErrors{};
};

/// |v|, to a factor of 1 + 2^-53, as a double where v consists of doubles.
template <class T>
auto magnitude(const T& v) {
  if constexpr (kIsWide<T>)
    return std::abs(v.hi);
  else
    return T(abs(v));
}

/// A number in T with a running bound on the absolute error that an arithmetic with this `Rounding`
/// makes (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.3); infinite or NaN where
/// there is no bound. T is that arithmetic, or a wider one that stands for exact numbers. The bound
/// has the range of T; it is rounded itself, by less than a factor of 2 in 2^50 operations. Usable
/// as the T of Plain<T>. Comparisons use the value, which is safe because both branches of
/// `logistic` are one function.
template <class T, class Rounding>
struct Rounded {
  using Error = decltype(magnitude(T(0)));
  static constexpr double kSum = Rounding::kErrors.sum;

  T value{0};
  Error error{0};

  Rounded() = default;
  explicit Rounded(double number) : value(number) {}
  Rounded(T number, Error bound) : value(std::move(number)), error(std::move(bound)) {}

  Rounded operator-() const { return {-value, error}; }
  Rounded& operator+=(const Rounded& o) { return *this = *this + o; }

  /// 0 without an error: products with it and quotients of it are 0 too.
  bool is_zero() const { return error == 0 && magnitude(value) == 0; }

  /// The result of one operation: the error from its operands, plus relative * unit * |value|.
  static Rounded after(const T& value, const Error& operands, double relative) {
    const Error size = magnitude(value);
    return {value, operands + size * (unit() * relative) + underflow(size)};
  }
  static const Error& unit() {
    static const Error one = Rounding::template unit<Error>();
    return one;
  }
  /// The absolute error by underflow of one operation in double-doubles or triple-doubles with a
  /// result of this size, before a division: its parts, of which the last is 2^-159 of the first,
  /// lose below 2^-1060 together. Of a size from 2^-900 they lose below 2^-170 of it, which is
  /// nothing beside the unit.
  static Error underflow(const Error& size) {
    if constexpr (Rounding::kUnderflows)
      if (size < 0x1p-900) return Error(0x1p-1060);
    return Error(0);
  }
};

/// Triple-doubles, about 47 digits, and 50 digits, each with a bound on its rounding. The witnesses
/// compute in Quick or Rough first and repeat in Sure what does not agree there; only results in
/// Sure make a witness wrong or silent.
using Quick = Rounded<TripledOf<double>, TripleDoubleRounding>;
using Sure = Rounded<Real, CorrectRounding>;
/// Double-doubles, about 31 digits. A bound on their rounding is not needed where two ways agree.
using Rough = Rounded<DoubledOf<double>, UnderflowOnly>;

template <class T, class R>
Rounded<T, R> operator+(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  using Error = typename Rounded<T, R>::Error;
  const T sum = a.value + b.value;
  const Error rounded =
      R::kOfOperands ? Error(magnitude(a.value) + magnitude(b.value)) : magnitude(sum);
  return {sum, a.error + b.error + rounded * (Rounded<T, R>::unit() * R::kErrors.sum)};
}
template <class T, class R>
Rounded<T, R> operator-(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  return a + -b;
}

/// |(a + da)(b + db) - a b| <= |a||db| + |da|(|b| + |db|).
template <class T, class R>
Rounded<T, R> operator*(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  if (R::kUnderflows && (a.is_zero() || b.is_zero())) return {a.value * b.value, 0};
  const auto operands = magnitude(a.value) * b.error + a.error * (magnitude(b.value) + b.error);
  return Rounded<T, R>::after(a.value * b.value, operands, R::kErrors.product);
}

/// (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db). As magnitude() holds 2^-53 of |b| only, |db|
/// counts twice where it is not far below |b|.
template <class T, class R>
Rounded<T, R> operator/(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  using Error = typename Rounded<T, R>::Error;
  const T quotient = a.value / b.value;
  const Error least = magnitude(b.value) - (kIsWide<T> ? 2 : 1) * b.error;
  if (!(least > 0)) return {quotient, Error(std::numeric_limits<double>::infinity())};
  if (R::kUnderflows && a.is_zero()) return {quotient, 0};
  const Error operands =
      a.error + magnitude(quotient) * b.error + Rounded<T, R>::underflow(magnitude(a.value));
  return Rounded<T, R>::after(quotient, operands / least, R::kErrors.quotient);
}
template <class T, class R>
Rounded<T, R> operator/(const Rounded<T, R>& a, double b) {
  if (R::kUnderflows && a.is_zero()) return {a.value / b, 0};
  const auto operands = a.error + Rounded<T, R>::underflow(magnitude(a.value));
  return Rounded<T, R>::after(a.value / b, operands / std::abs(b), R::kErrors.quotient);
}

template <class T, class R>
Real real_of(const Rounded<T, R>& v) {
  return real_of(v.value);
}

template <class T, class R>
bool operator<(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  return a.value < b.value;
}
template <class T, class R>
bool operator>=(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  return a.value >= b.value;
}

/// |sqrt(a + da) - sqrt(a)| <= |da|/sqrt(a).
template <class T, class R>
Rounded<T, R> sqrt(const Rounded<T, R>& a) {
  using Error = typename Rounded<T, R>::Error;
  const T root = sqrt(a.value);
  const Error size = magnitude(a.value);
  if (!(a.error < size)) return {root, Error(std::numeric_limits<double>::infinity())};
  return Rounded<T, R>::after(root, (a.error + Rounded<T, R>::underflow(size)) / magnitude(root),
                              R::kErrors.root);
}

/// |e^(a + da) - e^a| <= e^a |da| (1 + |da|) for |da| <= 1. In doubles 0 below -690, in place of at
/// most e^-689 < 2^-994.
template <class T, class R>
Rounded<T, R> exp(const Rounded<T, R>& a) {
  using Error = typename Rounded<T, R>::Error;
  const T value = exp(a.value);
  if (!(a.error <= 1)) return {value, Error(std::numeric_limits<double>::infinity())};
  const Error size = magnitude(value);
  Error operands = size * a.error * (1 + a.error);
  if (R::kUnderflows && a.value < T(Error(a.error - kExpRange)))
    operands += kIsWide<T> ? Error(0x1p-994) : Error(size * 3);
  return Rounded<T, R>::after(value, operands, R::kErrors.exponential);
}

/// Sums with a bound for every order of summation: the errors of the n numbers, plus n roundings of
/// the sum of their sizes.
template <class R>
class AnyOrder : public Plain<R> {
 public:
  R sum(const Values<R>& values, const std::string&) const { return added(values); }
  R sum_in_unit(const Values<R>& values) const { return added(values); }
  R dot(const Values<R>& a, const Values<R>& b, const std::string&) const {
    Values<R> products;
    for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
    return added(products);
  }
  Statistics<R> statistics(const Values<R>& x, double eps) const {
    const auto n = static_cast<double>(x.size());
    const R mean = added(x) / n;
    Values<R> squares;
    for (const R& one : x) squares.push_back((one - mean) * (one - mean));
    const R variance = added(squares) / n;
    return {mean, variance, this->rstd(variance, eps)};
  }

 private:
  static R added(const Values<R>& values) {
    R total(0);
    typename R::Error sizes{0};
    typename R::Error errors{0};
    for (const R& value : values) {
      total.value += value.value;
      sizes += magnitude(value.value);
      errors += value.error;
    }
    const double roundings = static_cast<double>(values.size());
    total.error = errors + (sizes + errors) * (R::unit() * (roundings * R::kSum));
    return total;
  }
};

}  // namespace gradproof
