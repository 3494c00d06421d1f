// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/tripled.h"
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

/// A number in T with a running bound on the absolute error that an arithmetic with this `Rounding`
/// makes (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 3.3); infinite or NaN where
/// there is no bound. The bound is a T only for its range. Usable as the T of Plain<T>. Comparisons
/// use the value, which is safe because both branches of `logistic` are one function.
template <class T, class Rounding>
struct Rounded {
  static constexpr double kSum = Rounding::kErrors.sum;

  T value{0};
  T error{0};

  Rounded() = default;
  explicit Rounded(double number) : value(number) {}
  Rounded(T number, T bound) : value(std::move(number)), error(std::move(bound)) {}

  Rounded operator-() const { return {-value, error}; }
  Rounded& operator+=(const Rounded& o) { return *this = *this + o; }

  /// The result of one operation: the error from its operands, plus relative * unit * |value|.
  static Rounded after(const T& value, const T& operands, double relative) {
    return {value, operands + abs(value) * (unit() * relative) + underflow()};
  }
  static const T& unit() {
    static const T one = Rounding::template unit<T>();
    return one;
  }
  /// The absolute error by underflow of one operation in doubles (unit_range.h), before a division.
  static T underflow() { return Rounding::kUnderflows ? ldexp(T(1), -1060) : T(0); }
};

template <class T, class R>
Rounded<T, R> operator+(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  const T sum = a.value + b.value;
  const T rounded = R::kOfOperands ? T(abs(a.value) + abs(b.value)) : T(abs(sum));
  return {sum, a.error + b.error + rounded * (Rounded<T, R>::unit() * R::kErrors.sum)};
}
template <class T, class R>
Rounded<T, R> operator-(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  return a + -b;
}

/// |(a + da)(b + db) - a b| <= |a||db| + |da|(|b| + |db|).
template <class T, class R>
Rounded<T, R> operator*(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  const T operands = abs(a.value) * b.error + a.error * (abs(b.value) + b.error);
  return Rounded<T, R>::after(a.value * b.value, operands, R::kErrors.product);
}

/// (a + da)/(b + db) - a/b = (da - (a/b) db)/(b + db).
template <class T, class R>
Rounded<T, R> operator/(const Rounded<T, R>& a, const Rounded<T, R>& b) {
  const T quotient = a.value / b.value;
  const T least = abs(b.value) - b.error;
  if (!(least > 0)) return {quotient, T(std::numeric_limits<double>::infinity())};
  const T operands = a.error + abs(quotient) * b.error + Rounded<T, R>::underflow();
  return Rounded<T, R>::after(quotient, operands / least, R::kErrors.quotient);
}
template <class T, class R>
Rounded<T, R> operator/(const Rounded<T, R>& a, double b) {
  return a / Rounded<T, R>(b);
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
  const T root = sqrt(a.value);
  if (!(a.error < a.value)) return {root, T(std::numeric_limits<double>::infinity())};
  return Rounded<T, R>::after(root, a.error / root, R::kErrors.root);
}

/// |e^(a + da) - e^a| <= e^a |da| (1 + |da|) for |da| <= 1. In doubles 0 below -690.
template <class T, class R>
Rounded<T, R> exp(const Rounded<T, R>& a) {
  const T value = exp(a.value);
  if (!(a.error <= 1)) return {value, T(std::numeric_limits<double>::infinity())};
  const T lost = R::kUnderflows && a.value - a.error < -690 ? T(value * 3) : T(0);
  return Rounded<T, R>::after(value, value * a.error * (1 + a.error) + lost,
                              R::kErrors.exponential);
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
    decltype(total.value) sizes{0};
    decltype(total.value) errors{0};
    for (const R& value : values) {
      total.value += value.value;
      sizes += abs(value.value);
      errors += value.error;
    }
    const double roundings = static_cast<double>(values.size());
    total.error = errors + (sizes + errors) * (R::unit() * (roundings * R::kSum));
    return total;
  }
};

}  // namespace gradproof
