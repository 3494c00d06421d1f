// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/contract.h"
#include "oracles/arithmetic/exp_double.h"
#include "oracles/arithmetic/logistic.h"
#include "oracles/bounds/error_scalar.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The sigmoid of z, and e^-a, where a = max(|z| - T, 0) is the least size of a number within the
/// error T of z. Both bound the second and third derivative of Swish there.
template <class V>
struct BoundedLogistic : Logistic<V> {
  V a;
  V steep;  ///< e^-a
};

/// Errors of Swish and of its derivative in one element; docs/bounds.md derives the rules.
template <class F, class V = double>
class SwishRule {
 public:
  using Scalar = ErrorScalar<F, V>;
  using Sigmoid = BoundedLogistic<V>;

  explicit SwishRule(const Contract& contract)
      : complement_(contract.complement), form_(contract.swish), exp_(contract.exp_error * F::u) {}

  [[gnu::always_inline]] static Sigmoid sigmoid(const Scalar& z) {
    const V t = exp_of_negative(V(-abs(z.v)));
    const V whole = 1 + t;
    const V large = 1 / whole;
    const V small = t / whole;
    const MaskOf<V> positive = z.v >= V(0);
    const V a = max(V(abs(z.v) - z.read().total()), V(0));
    return {{select(positive, large, small), select(positive, small, large)},
            a,
            exp_of_negative(V(-a))};
  }

  [[gnu::always_inline]] Scalar value(const Scalar& from, const Sigmoid& l) const {
    const Scalar z = from.read();
    const V t = z.total();
    Scalar r = Scalar::scaled(swish_derivative(z.v, l), z);
    r.e += steepest_slope(l) * t * t / 2;
    r.v = gradproof::swish(z.v, l);
    cap(r, V(kSteepest * t));
    r.e += (abs(r.v) + r.total()) * (sigmoid_error(l) + F::u);
    r.e += 2 * F::eta * (1 + abs(z.v));
    r.overflow = r.overflow | leaves_range(z);
    return r;
  }

  [[gnu::always_inline]] Scalar derivative(const Scalar& from, const Sigmoid& l) const {
    const Scalar z = from.read();
    const V t = z.total();
    const V curvature = l.s * l.q * (2 + z.v * (l.q - l.s));
    Scalar r = Scalar::scaled(curvature, z);
    r.e += steepest_curvature(l) * t * t / 2;
    r.v = swish_derivative(z.v, l);
    cap(r, min(V(steepest_slope(l) * t), V(1.2)));
    const V linear = abs(1 + z.v * l.q) * (sigmoid_error(l) + 2 * F::u);
    r.e += l.s * (linear + abs(z.v) * complement_error(z.v, l));
    r.e += 2 * F::eta * (1 + abs(z.v)) + 4 * F::u * t;
    r.overflow = r.overflow | leaves_range(z);
    return r;
  }

 private:
  /// sup |f'| = 1.09984.
  static constexpr double kSteepest = 1.0999;

  /// sup |f''| on [z-t, z+t].
  [[gnu::always_inline]] static V steepest_slope(const Sigmoid& l) {
    return min(V(max(l.a, V(2)) * l.steep), V(0.5));
  }

  /// sup |f'''| on [z-t, z+t].
  [[gnu::always_inline]] static V steepest_curvature(const Sigmoid& l) {
    return min(V((3 + l.a) * l.steep), V(0.3083));
  }

  /// Takes the Lipschitz bound `limit` where it is smaller than the error of the expansion.
  [[gnu::always_inline]] static void cap(Scalar& r, const V& limit) {
    const MaskOf<V> better = r.total() <= limit;
    r.e = select(better, r.e, limit);
    for_each_symbol([&](auto k) { r.c[k] = select(better, r.c[k], V(0)); });
  }

  /// Relative error of s = 1/(1+t): the exponential's share is q, then an addition and a division.
  [[gnu::always_inline]] V sigmoid_error(const Sigmoid& l) const { return l.q * exp_ + 2 * F::u; }

  /// Absolute error of 1-s. Rounded to nearest, 1+t and so s are exactly 1 once q < u/2.
  [[gnu::always_inline]] V complement_error(const V& z, const Sigmoid& l) const {
    if (complement_ == SigmoidComplement::reflected) return l.q * (l.s * exp_ + 3 * F::u);
    const V error = l.s * sigmoid_error(l) + 3 * F::u * l.q;
    if (!F::nearest) return error;
    return select((z > V(0)) & (l.q < V(F::u / 2)), min(l.q, error), error);
  }

  /// True where exp(-z) of z / (1 + exp(-z)) may overflow, which makes the result 0 too early.
  [[gnu::always_inline]] MaskOf<V> leaves_range(const Scalar& z) const {
    if (form_ != SwishForm::quotient) return false;
    return !(z.v - z.total() > V(-F::log_largest));
  }

  SigmoidComplement complement_;
  SwishForm form_;
  double exp_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
