// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "core/contract.h"
#include "oracles/arithmetic/error_scalar.h"
#include "oracles/stages/logistic.h"

namespace gradproof {

/// Errors of Swish and of its derivative in one element; docs/bounds.md derives the rules.
template <class F>
class SwishRule {
 public:
  using Scalar = ErrorScalar<F>;

  explicit SwishRule(const Contract& contract)
      : complement_(contract.complement), form_(contract.swish), exp_(contract.exp_error * F::u) {}

  Scalar value(const Scalar& z, const Logistic<double>& l) const {
    const double t = z.total();
    Scalar r = Scalar::linear(swish_derivative(z.v, l), z, 0, z);
    r.e += steepest_slope(z.v, t) * t * t / 2;
    r.v = swish(z.v, l);
    cap(r, kSteepest * t);
    r.e += (std::abs(r.v) + r.total()) * (sigmoid_error(l) + F::u);
    r.e += 2 * F::eta * (1 + std::abs(z.v));
    r.overflow = r.overflow || leaves_range(z);
    return r;
  }

  Scalar derivative(const Scalar& z, const Logistic<double>& l) const {
    const double t = z.total();
    const double curvature = l.s * l.q * (2 + z.v * (l.q - l.s));
    Scalar r = Scalar::linear(curvature, z, 0, z);
    r.e += steepest_curvature(z.v, t) * t * t / 2;
    r.v = swish_derivative(z.v, l);
    cap(r, std::min(1.2, steepest_slope(z.v, t) * t));
    const double linear = std::abs(1 + z.v * l.q) * (sigmoid_error(l) + 2 * F::u);
    r.e += l.s * (linear + std::abs(z.v) * complement_error(z.v, l));
    r.e += 2 * F::eta * (1 + std::abs(z.v)) + 4 * F::u * t;
    r.overflow = r.overflow || leaves_range(z);
    return r;
  }

 private:
  /// sup |f'| = 1.09984.
  static constexpr double kSteepest = 1.0999;

  /// sup |f''| on [z-t, z+t].
  static double steepest_slope(double z, double t) {
    const double a = std::max(0.0, std::abs(z) - t);
    return std::min(0.5, std::max(2.0, a) * std::exp(-a));
  }

  /// sup |f'''| on [z-t, z+t].
  static double steepest_curvature(double z, double t) {
    const double a = std::max(0.0, std::abs(z) - t);
    return std::min(0.3083, (3 + a) * std::exp(-a));
  }

  /// Where the expansion is worse than the plain Lipschitz bound, that one.
  static void cap(Scalar& r, double limit) {
    if (r.total() <= limit) return;
    r.c = {};
    r.e = limit;
  }

  /// Relative error of s = 1/(1+t): the exponential's share is q, then an addition and a division.
  double sigmoid_error(const Logistic<double>& l) const { return l.q * exp_ + 2 * F::u; }

  /// Absolute error of 1-s. Rounded to nearest, 1+t and so s are exactly 1 once q < u/2.
  double complement_error(double z, const Logistic<double>& l) const {
    if (complement_ == SigmoidComplement::reflected) return l.q * (l.s * exp_ + 3 * F::u);
    const double error = l.s * sigmoid_error(l) + 3 * F::u * l.q;
    return F::nearest && z > 0 && l.q < F::u / 2 ? std::min(error, l.q) : error;
  }

  /// z / (1 + exp(-z)): the exponential overflows where the truth is still far from 0.
  bool leaves_range(const Scalar& z) const {
    return form_ == SwishForm::quotient && !(z.v - z.total() > -std::log(F::largest));
  }

  SigmoidComplement complement_;
  SwishForm form_;
  double exp_;
};

}  // namespace gradproof
