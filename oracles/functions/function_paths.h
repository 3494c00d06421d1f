// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/path_sum.h"
#include "oracles/functions/multiword_math.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A dual number (oracles/arithmetic/dual.h) with the sum of its absolute terms, its paths. A value
/// that does not depend on the moved numbers has no derivative term, so that an infinite slope
/// elsewhere never gives 0 times infinity. R is Real or a type with more digits.
template <class R>
struct PathDualOf {
  struct Terms {
    R sum{0};
    R paths{0};
  };

  R v{0};
  Terms d;
  bool moves = false;

  PathDualOf() = default;
  explicit PathDualOf(double value) : v(value) {}
  PathDualOf(const R& value, double speed)
      : v(value), d{R(speed), R(speed < 0 ? -speed : speed)}, moves(speed != 0) {}

  PathDualOf operator-() const { return times(R(-v), *this, R(-1)); }

  friend PathDualOf operator+(const PathDualOf& a, const PathDualOf& b) {
    return plus(R(a.v + b.v), a, b, R(1));
  }
  friend PathDualOf operator-(const PathDualOf& a, const PathDualOf& b) {
    return plus(R(a.v - b.v), a, b, R(-1));
  }
  friend PathDualOf operator*(const PathDualOf& a, const PathDualOf& b) {
    const R product = a.v * b.v;
    return plus(product, times(product, a, b.v), b, a.v);
  }
  friend PathDualOf operator/(const PathDualOf& a, const PathDualOf& b) {
    const R quotient = a.v / b.v;
    const PathDualOf above = times(quotient, a, R(1 / b.v));
    return b.moves ? plus(quotient, above, b, R(-quotient / b.v)) : above;
  }

  friend PathDualOf exp(const PathDualOf& a) {
    const R e = exp(a.v);
    return times(e, a, e);
  }
  friend PathDualOf sqrt(const PathDualOf& a) {
    const R root = sqrt(a.v);
    return times(root, a, R(1 / (2 * root)));
  }

  /// The value as a dual number with the slope 1, and f(a) from f of that.
  Dual<R> alone() const { return {v, R(1)}; }
  friend PathDualOf through(const Dual<R>& f, const PathDualOf& a) { return times(f.v, a, f.d); }

 private:
  static PathDualOf times(const R& value, const PathDualOf& a, const R& slope) {
    PathDualOf result;
    result.v = value;
    result.moves = a.moves;
    if (a.moves) result.d = {R(a.d.sum * slope), R(a.d.paths * abs(slope))};
    return result;
  }
  static PathDualOf plus(const R& value, const PathDualOf& a, const PathDualOf& b, const R& slope) {
    PathDualOf result = times(value, b, slope);
    result.moves = a.moves || b.moves;
    if (a.moves) result.d.sum += a.d.sum;
    if (a.moves) result.d.paths += a.d.paths;
    return result;
  }
};

template <class R>
bool is_below(const PathDualOf<R>& a, const PathDualOf<R>& b) {
  return a.v < b.v;
}
template <class R>
bool has_value(const PathDualOf<R>& a) {
  return has_value(a.v) && (!a.moves || (has_value(a.d.sum) && has_value(a.d.paths)));
}

template <class R>
PathDualOf<R> expm1_of(const PathDualOf<R>& a) {
  return through(expm1_of(a.alone()), a);
}
template <class R>
PathDualOf<R> log1p_of(const PathDualOf<R>& a) {
  return through(log1p_of(a.alone()), a);
}
template <class R>
PathDualOf<R> log_of(const PathDualOf<R>& a) {
  return through(log_of(a.alone()), a);
}
template <class R>
PathDualOf<R> erf_of(const PathDualOf<R>& a) {
  return through(erf_of(a.alone()), a);
}
/// The slope is the difference 1 - tanh^2, its terms 1 + tanh^2.
template <class R>
PathDualOf<R> tanh_of(const PathDualOf<R>& a) {
  const Dual<R> f = tanh_of(a.alone());
  PathDualOf<R> result = through(f, a);
  if (a.moves) result.d.paths = a.d.paths * R(1 + f.v * f.v);
  return result;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
