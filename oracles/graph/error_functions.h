// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "oracles/bounds/error_scalar.h"
#include "oracles/graph/function_errors.h"
#include "oracles/graph/truth_functions.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class F>
ErrorScalar<F> operator-(const ErrorScalar<F>& a) {
  ErrorScalar<F> r = ErrorScalar<F>::scaled(-1.0, a);
  r.v = -a.v;
  return r;
}

/// (a + da)/(b + db) - q = ((da - q db)/b) (1/(1 + db/b)), q = a/b: the first factor is linear in
/// what is shared, the rest of the second is at most t/(1 - t), t = |db/b|.
template <class F>
ErrorScalar<F> operator/(const ErrorScalar<F>& x, const ErrorScalar<F>& y) {
  const ErrorScalar<F> a = x.read();
  const ErrorScalar<F> b = y.read();
  const double q = a.v / b.v;
  ErrorScalar<F> r = ErrorScalar<F>::linear(1 / b.v, a, -q / b.v, b);
  r.v = q;
  const double t = b.total() / std::abs(b.v);
  const bool near = t < 0.5;
  r.e += r.total() * (near ? t / (1 - t) : 1);
  r.vacuous = r.vacuous || !near;
  r.overflow = r.overflow || b.may_be_zero() || b.v == 0;
  return r.rounded(F::eta, ErrorScalar<F>::finite(a, b));
}

/// The functions of oracles/graph/truth_functions.h with the error that a back-end may make: that
/// of the argument by the function's slope, to second order, and the function's own.
template <class F>
class ErrorFunctions {
 public:
  using Scalar = ErrorScalar<F>;
  using T = Scalar;

  ErrorFunctions() = default;
  /// `storage` is what each operator's result is rounded to; unit 0: nothing is.
  ErrorFunctions(const FunctionErrors& errors, const StoredType& storage)
      : errors_(errors), storage_(storage) {}

  static T constant(Constant name) {
    T r(PlainFunctions<double>::constant(name));
    r.e = F::u * std::abs(r.v);
    return r;
  }

  T exp(const T& x) const {
    const double v = std::exp(x.v);
    const double t = x.total();
    T r = function(x, v, v, v * std::exp(t) * t * t / 2, v * std::expm1(t), errors_.exp);
    if (errors_.exp_underflows_to_zero && v - r.total() < F::smallest_normal)
      r.e += std::min(v + r.total(), F::smallest_normal);
    return r;
  }
  T tanh(const T& x) const {
    const double v = std::tanh(x.v);
    const double t = x.total();
    return function(x, v, 1 - v * v, 0.7699 * t * t / 2, t, errors_.tanh);
  }
  T erf(const T& x) const {
    const double t = x.total();
    T r = function(x, std::erf(x.v), kErfSlope * std::exp(-x.v * x.v), 0.968 * t * t / 2,
                   kErfSlope * t, errors_.erf);
    r.e += errors_.erf_absolute;
    return r;
  }
  T log(const T& x) const {
    const double least = x.v - x.total();
    const double t = x.total();
    T r = function(x, std::log(x.v), 1 / x.v, t * t / (2 * least * least), t / least, errors_.log);
    r.vacuous = r.vacuous || (x.v > 0 && !(least > 0));
    return r;
  }
  T log1p(const T& x) const {
    const double least = 1 + x.v - x.total();
    const double t = x.total();
    T r = function(x, std::log1p(x.v), 1 / (1 + x.v), t * t / (2 * least * least), t / least,
                   errors_.log1p);
    r.vacuous = r.vacuous || (x.v > -1 && !(least > 0));
    return r;
  }
  T sqrt(const T& x) const {
    const double v = std::sqrt(x.v);
    const double t = x.total();
    const double least = x.v - t;
    T r = function(x, v, 0.5 / v, t * t / (8 * least * std::sqrt(least)), t / std::sqrt(least),
                   errors_.sqrt);
    r.vacuous = r.vacuous || (t > 0 && !(least > 0));
    return r;
  }

  /// Where the sign is not sure, either may be computed.
  T where_positive(const T& x, const T& a, const T& b) const {
    const T& chosen = x.v <= 0 ? b : a;
    T r = chosen;
    if (std::isnan(x.v)) r.overflow = true;
    if (!x.may_be_zero() && !x.vacuous && !x.overflow) return r;
    r = hull(a, b, chosen.v);
    r.vacuous = r.vacuous || x.vacuous;
    r.overflow = r.overflow || x.overflow;
    return r;
  }
  /// |max(a + da, b + db) - max(a, b)| <= max(|da|, |db|); where it is sure which is larger, that
  /// one's own error.
  T max(const T& a, const T& b) const {
    const T& larger = std::isnan(a.v) || a.v > b.v ? a : b;
    const bool open = a.vacuous || a.overflow || b.vacuous || b.overflow;
    if (!open && std::abs(a.v - b.v) > a.total() + b.total()) return larger;
    T r(larger.v);
    r.e = std::max(a.total(), b.total());
    r.vacuous = a.vacuous || b.vacuous;
    r.overflow = a.overflow || b.overflow;
    return r;
  }
  T min(const T& a, const T& b) const { return -max(-a, -b); }

  /// Anything between two numbers is right.
  T between(const T& a, const T& b) const { return hull(a, b, (a.v + b.v) / 2); }

  /// LibTorch's softplus is x itself from 20 on, where log(1 + e^x) is x + e^-x: `small` is the
  /// function and `large` what is taken for it.
  T past_threshold(const T& x, const T& small, const T& large) const {
    constexpr double kThreshold = 20;
    const double t = x.total();
    if (x.v + t <= kThreshold) return small;
    T r(large.v);
    r.e = large.total() + std::exp(t - x.v);
    r.vacuous = large.vacuous;
    r.overflow = large.overflow;
    if (x.v - t <= kThreshold) r.e = std::max(r.e, std::abs(small.v - large.v) + small.total());
    return r;
  }

  /// 1/(1 + exp(-x)). Where exp(-x) overflows the result is 0, which is off by the sigmoid itself.
  T quotient_sigmoid(const T& x) const {
    const T whole = T(1) + exp(-x);
    if (!whole.overflow) return T(1) / whole;
    T r(std::exp(x.v));  // what 1/(1 + exp(-x)) is there
    r.e = r.v * std::exp(x.total()) + F::eta;
    r.vacuous = x.vacuous;
    r.overflow = x.overflow;
    return r;
  }

  /// One rounding to the storage type.
  T stored(const T& x) const {
    if (storage_.unit == 0) return x;
    T r = x;
    const double magnitude = std::abs(x.v) + x.total();
    r.e += storage_.unit * magnitude + storage_.underflow;
    if (std::isfinite(x.v) && !(magnitude + r.e <= storage_.largest)) r.overflow = true;
    return r;
  }

  double storage_unit() const { return storage_.unit; }

  /// All error independent.
  static T folded(const T& x) {
    T r(x.v);
    r.e = x.total();
    r.vacuous = x.vacuous;
    r.overflow = x.overflow;
    return r;
  }

 private:
  static T hull(const T& a, const T& b, double v) {
    T r(v);
    r.e = std::max(std::abs(a.v - v) + a.total(), std::abs(b.v - v) + b.total());
    r.vacuous = a.vacuous || b.vacuous;
    r.overflow = a.overflow || b.overflow;
    return r;
  }

  /// v with the argument's error: slope times what is shared, `second` beside it, and no more than
  /// `most` in all; then `units` u of the result.
  static T function(const T& from, double v, double slope, double second, double most,
                    double units) {
    const T x = from.read();
    T r = T::scaled(slope, x);
    r.v = v;
    r.e += second;
    if (!(r.total() <= most)) {
      r = T(v);
      r.e = most;
      r.vacuous = x.vacuous;
      r.overflow = x.overflow;
    }
    r.e += (std::abs(v) + r.total()) * units * F::u + F::eta;
    r.note_range(r.reach(), [&] { return std::isfinite(x.v); });
    return r;
  }

  FunctionErrors errors_;
  StoredType storage_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
