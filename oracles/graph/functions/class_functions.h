// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/signed_classes.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The functions of sets of classes. Far from 0 an exponential may leave the range of 50 digits
/// too, which decide if classes leave a result open: it may be infinite, or 0.
struct ClassFunctions {
  using Scalar = SignedClasses;
  using T = Scalar;
  using C = SignedClass;

  static T constant(Constant name) { return T(constant_ball(name).hi); }
  static T exp(const T& x) {
    return by_class(x, C::zero, T(C::positive).united(C::zero), C::positive,
                    T(C::positive).united(C::plus_inf), C::plus_inf);
  }
  static Logistic<T> logistic(const T& x) { return {sigmoid(x), sigmoid(-x)}; }
  static T log(const T& x) {
    return by_class(x, C::nan, C::nan, C::minus_inf, finite(), C::plus_inf);
  }
  static T log1p(const T& x) {
    const T of_negative = T(C::nan).united(C::minus_inf).united(C::negative);
    return by_class(x, C::nan, of_negative, C::zero, C::positive, C::plus_inf);
  }
  static T tanh(const T& x) { return within_one(x); }
  static T erf(const T& x) { return within_one(x); }
  static T sin(const T& x) { return by_class(x, C::nan, finite(), C::zero, finite(), C::nan); }
  static T cos(const T& x) { return by_class(x, C::nan, finite(), C::positive, finite(), C::nan); }
  static T sqrt(const T& x) {
    return by_class(x, C::nan, C::nan, C::zero, C::positive, C::plus_inf);
  }
  /// r = exp(p log x); a library's function knows a power of -Inf.
  static T of_power(const T& r, const T& x, double) {
    return x.each([&](C c) {
      return c == C::minus_inf ? r.united(C::plus_inf).united(C::zero).united(C::nan) : r;
    });
  }
  /// a where x > 0 or x is NaN, else b.
  static T where_positive(const T& x, const T& a, const T& b) {
    return x.each([&](C c) { return c == C::nan || SignedClasses::rank(c) > 0 ? a : b; });
  }
  /// The larger one; NaN if either is NaN.
  static T max(const T& a, const T& b) {
    return a.each([&](C x) {
      return b.each([&](C y) {
        if (x == C::nan || y == C::nan) return C::nan;
        return SignedClasses::rank(x) > SignedClasses::rank(y) ? x : y;
      });
    });
  }
  static T min(const T& a, const T& b) { return -max(-a, -b); }
  static T between(const T& a, const T& b) { return (a + b) * T(0.5); }
  static T stored(const T& x) { return x; }

 private:
  static T finite() { return T(C::negative).united(C::zero).united(C::positive); }
  static T sigmoid(const T& x) {
    return by_class(x, C::zero, T(C::positive).united(C::zero), C::positive, C::positive,
                    C::positive);
  }
  static T within_one(const T& x) {
    return by_class(x, C::negative, C::negative, C::zero, C::positive, C::positive);
  }
  /// NaN for NaN; for the other classes, in order of size, the given set.
  static T by_class(const T& x, const T& minus_inf, const T& negative, const T& zero,
                    const T& positive, const T& plus_inf) {
    const T* const of[] = {&minus_inf, &negative, &zero, &positive, &plus_inf};
    return x.each([&](C c) {
      return c == C::nan ? T(C::nan) : *of[static_cast<std::size_t>(SignedClasses::rank(c) + 2)];
    });
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
