// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/audit/path_sum.h"
#include "oracles/audit/word_functions.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A dual number (oracles/arithmetic/dual.h) with its paths. What does not depend on the moved
/// numbers has no term at all, so that an infinite slope elsewhere leaves no 0 times infinity.
struct PathDual {
  Real v{0};
  PathSum d;
  bool moves = false;

  PathDual() = default;
  explicit PathDual(double value) : v(value) {}
  PathDual(const Real& value, double speed)
      : v(value), d{Real(speed), Real(speed < 0 ? -speed : speed)}, moves(speed != 0) {}

  PathDual operator-() const { return times(Real(-v), *this, Real(-1)); }

  friend PathDual operator+(const PathDual& a, const PathDual& b) {
    return plus(Real(a.v + b.v), a, b, Real(1));
  }
  friend PathDual operator-(const PathDual& a, const PathDual& b) {
    return plus(Real(a.v - b.v), a, b, Real(-1));
  }
  friend PathDual operator*(const PathDual& a, const PathDual& b) {
    const Real product = a.v * b.v;
    return plus(product, times(product, a, b.v), b, a.v);
  }
  friend PathDual operator/(const PathDual& a, const PathDual& b) {
    const Real quotient = a.v / b.v;
    const PathDual above = times(quotient, a, Real(1 / b.v));
    return b.moves ? plus(quotient, above, b, Real(-quotient / b.v)) : above;
  }

  friend PathDual exp(const PathDual& a) {
    const Real e = exp(a.v);
    return times(e, a, e);
  }
  friend PathDual sqrt(const PathDual& a) {
    const Real root = sqrt(a.v);
    return times(root, a, Real(1 / (2 * root)));
  }

  /// f(a), its slope as dual numbers have it; |slope| may be a difference of larger `terms`.
  friend PathDual through(const Dual<Real>& f, const PathDual& a, const Real& terms) {
    PathDual result = times(f.v, a, f.d);
    if (a.moves) result.d.paths = a.d.paths * terms;
    return result;
  }

 private:
  static PathDual times(const Real& value, const PathDual& a, const Real& slope) {
    PathDual result;
    result.v = value;
    result.moves = a.moves;
    if (a.moves) result.d = {Real(a.d.sum * slope), Real(a.d.paths * abs(slope))};
    return result;
  }
  static PathDual plus(const Real& value, const PathDual& a, const PathDual& b, const Real& slope) {
    PathDual result = times(value, b, slope);
    result.moves = a.moves || b.moves;
    if (a.moves) result.d.sum += a.d.sum;
    if (a.moves) result.d.paths += a.d.paths;
    return result;
  }
};

inline bool is_below(const PathDual& a, const PathDual& b) { return a.v < b.v; }
inline bool has_value(const PathDual& a) {
  return has_value(a.v) && (!a.moves || (has_value(a.d.sum) && has_value(a.d.paths)));
}

inline PathDual expm1_of(const PathDual& a) {
  const Dual<Real> f = expm1_of(Dual<Real>(a.v, Real(1)));
  return through(f, a, Real(abs(f.d)));
}
inline PathDual log1p_of(const PathDual& a) {
  const Dual<Real> f = log1p_of(Dual<Real>(a.v, Real(1)));
  return through(f, a, Real(abs(f.d)));
}
inline PathDual log_of(const PathDual& a) {
  const Dual<Real> f = log_of(Dual<Real>(a.v, Real(1)));
  return through(f, a, Real(abs(f.d)));
}
/// 1 - tanh^2.
inline PathDual tanh_of(const PathDual& a) {
  const Dual<Real> f = tanh_of(Dual<Real>(a.v, Real(1)));
  return through(f, a, Real(1 + f.v * f.v));
}
inline PathDual erf_of(const PathDual& a) {
  const Dual<Real> f = erf_of(Dual<Real>(a.v, Real(1)));
  return through(f, a, Real(abs(f.d)));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
