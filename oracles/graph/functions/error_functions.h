// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/bounds/error_scalar.h"
#include "oracles/graph/functions/choices.h"
#include "oracles/graph/functions/function_at.h"
#include "oracles/graph/functions/function_errors.h"
#include "oracles/graph/functions/rounded_to.h"
#include "oracles/graph/functions/truth_functions.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The functions of oracles/graph/functions/truth_functions.h with the error that a back-end may
/// make: that of the argument by the function's slope, to second order, and the function's own.
template <class F, class V = double>
class ErrorFunctions : private FunctionAt<F, V> {
 public:
  using Scalar = ErrorScalar<F, V>;
  using T = Scalar;
  using Plain = PlainFunctions<V>;

  ErrorFunctions() = default;
  /// Each operator's result is rounded to `storage`; with unit 0, none is.
  ErrorFunctions(const FunctionErrors& errors, const StoredType& storage)
      : errors_(errors), storage_(storage) {}

  T constant(Constant name) const {
    T r(Plain::constant(name));
    r.e = (F::u + errors_.literal) * abs(r.v);
    return r;
  }
  T literal(T number) const {
    number.e += select(is_finite(number.v), V(errors_.literal * abs(number.v)), V(0));
    return number;
  }

  /// exp of a number within t of x is off by at most e^(x + t) - e^x for any t; exact at -Inf.
  T exp(const T& x) const {
    const V v = Plain::exp(x.v);
    const MaskOf<V> infinite = is_inf(x.v) & MaskOf<V>(!is_doubtful_infinity(x));
    const V t = select(infinite, V(0), x.total());
    const MaskOf<V> inexact = !(t == V(0));
    V second = 0;
    V most = 0;
    if (any(inexact)) {
      const V grown = Plain::exp(t);
      second = v * grown * t * t / 2;
      most = select(t < V(0.5), V(v * (t * grown)), V(Plain::exp(x.v + t) - v));
    }
    T r = function(x, v, v, second, most, {exp_units(x), errors_.exp});
    r.e = select(infinite & (v == V(0)), V(0), r.e);
    return errors_.exp_underflows ? or_zero_below_normal(r) : r;
  }
  /// s = 1/(1 + t) or t/(1 + t), t = exp(-|x|): a relative error r of t is an error r q of s, and a
  /// sum and a quotient are rounded; terms of second order are within 2^-10 of that. |s'| = s q <=
  /// 1/4 and |s''| <= s q, 0.0963; s q grows by e^t at most where the argument is off by t.
  /// `quotient`: as 1/(1 + exp(-x)), which is 0 where exp(-x) overflows. To nearest, 1 + t is 1
  /// once t < u/2, and so is 1/1: then the larger is off by the smaller. Exact at an infinity.
  Logistic<T> logistic(const T& x, bool quotient = false) const {
    return logistic(x, Plain::logistic(x.v), quotient);
  }
  /// The logistic with its error, from its value l in double.
  Logistic<T> logistic(const T& x, const Logistic<V>& l, bool quotient) const {
    const V t = x.total();
    const V by_slope = l.s * l.q;
    const bool is_exact = !F::flushes && all(t == V(0));
    V second = 0;
    V most = 0;
    if (!is_exact) {
      const V steep = by_slope * Plain::exp(t);
      second = least_of(V(0.0963), steep) * t * t / 2;
      most = least_of(V(0.25), steep) * t;
    }
    const double others = 1 + errors_.division;
    const V of_exp = exp_units(x);
    const auto units = [&](const V& other) { return V((other * of_exp + others) * (1 + 0x1p-10)); };
    const MaskOf<V> far(is_inf(x.v) & (t == V(0)));
    // Far above a radius of double-doubles, which then decide; x times it may leave no range.
    const V floor =
        F::value_is_exact ? V(0x1p-60) : select(abs(x.v) < V(0x1p1000), V(0x1p-90), V(0));
    const auto rounded = [&](T r, const V& from_exp, const V& other) {
      r.e += half_ulps_below_normal(errors_.division);
      const V normal(errors_.exp_underflows ? 2 * F::smallest_normal : 0);
      r.e += select(from_exp - r.total() < normal, normal, V(0));
      if (F::nearest && errors_.division == 1)
        r.e = select((t == V(0)) & (other < V(F::u / 4)), least_of(r.e, V(2 * other + floor)), r.e);
      r.e = select(far, V(0), r.e);
      return r;
    };
    const auto computed = [&](const V& v, const V& slope, const V& other) {
      if (!is_exact) return function(x, v, slope, second, most, {units(other), errors_.exp});
      T r(v);
      r.e = v * (units(other) * V(F::u)) + half_ulps_below_normal(errors_.exp);
      r.vacuous = x.vacuous;
      r.overflow = x.overflow;
      return r;
    };
    Logistic<T> r{rounded(computed(l.s, by_slope, l.q), l.s, l.q),
                  rounded(computed(l.q, -by_slope, l.s), l.q, l.s)};
    const MaskOf<V> leaves = !(x.v - t > V(-F::log_largest * (1 - 0x1p-20)));
    if (quotient) r.s.e += select(leaves & !is_nan(x.v), V(l.s + r.s.total()), V(0));
    return r;
  }
  /// A quotient r with the division's error in place of its one rounding.
  T quotient(T r) const {
    const double more = (errors_.division - 1) * F::u;
    if (more == 0) return r;
    const double least = half_ulps_below_normal(errors_.division - 1);
    r.e += select(is_finite(r.v), V(more * r.reach() + least), V(0));
    return r;
  }
  /// tanh' = 1/cosh^2 <= 4 e^(-2z) for |x| >= z, and |tanh''| <= 2 tanh'.
  T tanh(const T& x) const {
    const V v = Plain::tanh(x.v);
    const V t = x.total();
    const V far = 4 * Plain::exp(-2 * nearest(x));
    return function(x, v, 1 - v * v, least_of(V(0.7699), V(2 * far)) * t * t / 2,
                    least_of(V(1), far) * t, {V(errors_.tanh), errors_.tanh});
  }
  /// erf'' = -2 x erf', whose size falls beyond sqrt(1/2).
  T erf(const T& x) const {
    const V t = x.total();
    const V z = nearest(x);
    const V slope = kErfSlope * Plain::exp(-z * z);
    const V curvature = select(z >= V(1), V(2 * z * slope), V(0.968));
    T r = function(x, Plain::erf(x.v), kErfSlope * Plain::exp(-x.v * x.v), curvature * t * t / 2,
                   slope * t, {V(errors_.erf), errors_.erf});
    r.e += errors_.erf_absolute;
    return r;
  }
  T sin(const T& x) const { return of_period(x, Plain::sin(x.v), Plain::cos(x.v)); }
  T cos(const T& x) const { return of_period(x, Plain::cos(x.v), -Plain::sin(x.v)); }
  /// r = exp(p log x): code may multiply x p times, or take a library's function, which knows a
  /// power of -Inf (C17, F.10.4.4).
  T of_power(T r, const T& x, double p) const {
    r.overflow = r.overflow | (is_inf(x.v) & (x.v < V(0)));
    const V most = (errors_.power + std::abs(p)) * F::u * r.reach() + half_ulps_below_normal(1);
    r.e += select(is_finite(r.v), most, V(0));
    return r;
  }
  T log(const T& x) const { return logarithm(x, x.v, Plain::log(x.v), errors_.log); }
  T log1p(const T& x) const { return logarithm(x, 1 + x.v, Plain::log1p(x.v), errors_.log1p); }
  T sqrt(const T& x) const {
    const V v = gradproof::sqrt(x.v);
    const V t = x.total();
    const V least = x.v - x.from_v();
    const V root = gradproof::sqrt(least);
    const V most = select(t == V(0), V(0), V(t / root));  // of 0 the root is 0, its slope infinite
    const V second = t * t / (8 * least * root);
    T r = function(x, v, 0.5 / v, second, most, {V(errors_.sqrt), errors_.sqrt});
    r.vacuous = r.vacuous | ((t > V(0)) & !(least > V(0)));
    return r;
  }

  T where_positive(const T& x, const T& a, const T& b) const { return by_sign(x, a, b); }
  T max(const T& a, const T& b) const { return larger_of(a, b); }
  T min(const T& a, const T& b) const { return -larger_of(T(-a), T(-b)); }

  /// Any number between a and b is right.
  T between(const T& a, const T& b) const { return hull(a, b, (a.v + b.v) / 2); }

  /// LibTorch's softplus is x itself from 20 on, where log(1 + e^x) is about x + e^-x: `small` is
  /// the function, `large` replaces it from 20 on.
  T past_threshold(const T& x, const T& small, const T& large) const {
    const V threshold(20);
    const V t = x.total();
    const MaskOf<V> below = x.v + t <= threshold;
    if (all(below)) return small;
    T r(large.v);
    r.e = large.total() + Plain::exp(t - x.v);
    r.vacuous = large.vacuous;
    r.overflow = large.overflow;
    const V other = abs(small.v - large.v) + small.total();
    r.e = select(x.v - t <= threshold, largest_of(r.e, other), r.e);
    return select(below, small, r);
  }

  /// The operator's result of GELU or its adjoint; on AVX-512 oneDNN's GELU of Inf is NaN.
  T gelu_result(const T& x) const {
    const T r = open_where_infinite(x);
    return errors_.gelu_underflows ? or_zero_below_normal(r) : r;
  }

  /// One rounding to the storage type.
  T stored(const T& x) const { return rounded_to(storage_, x); }
  const StoredType& storage() const { return storage_; }

  /// The relative error of exp(x) in units of u grows with |x|, up to exp's own range.
  V exp_units(const T& x) const {
    const V size = least_of(V(abs(x.v) + x.total()), V(2 * F::log_largest));
    return errors_.exp + errors_.exp_argument * size;
  }

  /// The number with all its error independent.
  static T folded(const T& x) {
    T r(x.v);
    r.e = x.total();
    r.vacuous = x.vacuous;
    r.overflow = x.overflow;
    return r;
  }

 private:
  using FunctionAt<F, V>::function;
  using FunctionAt<F, V>::half_ulps_below_normal;
  using FunctionAt<F, V>::nearest;

  /// sin or cos: neither slope is larger than 1, and no two values are more than 2 apart. Nothing
  /// is said of arguments beyond the range of the truth.
  T of_period(const T& x, const V& v, const V& slope) const {
    const V t = x.total();
    T r = function(x, v, slope, t * t / 2, least_of(t, V(2)), {V(errors_.sine), errors_.sine});
    r.vacuous = r.vacuous | (is_finite(x.v) & MaskOf<V>(!(abs(x.v) + t <= V(kSineRange))));
    return r;
  }
  /// v, the logarithm of `of`, which is x or 1 + x. For an exact 0 the infinity is no overflow.
  static T logarithm(const T& x, const V& of, const V& v, double units) {
    const V t = x.total();
    const V least = of - x.from_v();
    T r = function(x, v, 1 / of, t * t / (2 * least * least), quotient_or_more(t, least),
                   {V(units), units}, (of == V(0)) & (t == V(0)));
    r.vacuous = r.vacuous | ((of > V(0)) & !(least > V(0)));
    return r;
  }
  /// t/least; infinite where an argument that is off by t may leave the domain.
  static V quotient_or_more(const V& t, const V& least) {
    return select((t > V(0)) & !(least > V(0)), V(HUGE_VAL), V(t / least));
  }

  FunctionErrors errors_;
  StoredType storage_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
