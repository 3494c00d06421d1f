// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/functions/multiword_math.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A number, its derivative by the rules of dual numbers as the sum of one term for each path of
/// the chain rule, and the sum of the absolute terms. A value that depends on no moved number has
/// no terms, so that an infinite slope elsewhere never gives 0 times infinity. R has 400 digits,
/// or 1000 for a bound on what 400 lose.
///
/// With kRounds every operation adds a term of the size of its result. `paths` is then to first
/// order the rounding error, in unit roundoffs of any arithmetic (Higham 2002, 3.3).
template <class R, bool kRounds = false>
struct PathDualOf {
  R v{0};
  R sum{0};
  R paths{0};
  bool moves = false;

  PathDualOf() = default;
  explicit PathDualOf(double value) : v(value) {}
  PathDualOf(const R& value, double speed)
      : v(value), sum(speed), paths(std::abs(speed)), moves(speed != 0) {}

  PathDualOf operator-() const {
    return chained(R(-v), *this, [] { return R(-1); });
  }
  friend PathDualOf operator+(const PathDualOf& a, const PathDualOf& b) {
    return chained(R(a.v + b.v), a, one, b, one);
  }
  friend PathDualOf operator-(const PathDualOf& a, const PathDualOf& b) {
    return chained(R(a.v - b.v), a, one, b, [] { return R(-1); });
  }
  friend PathDualOf operator*(const PathDualOf& a, const PathDualOf& b) {
    return chained(
        R(a.v * b.v), a, [&] { return b.v; }, b, [&] { return a.v; });
  }
  friend PathDualOf operator/(const PathDualOf& a, const PathDualOf& b) {
    const R quotient = a.v / b.v;
    return chained(
        quotient, a, [&] { return R(1 / b.v); }, b, [&] { return R(-quotient / b.v); });
  }

  friend PathDualOf exp(const PathDualOf& a) {
    const R e = exp(a.v);
    return chained(e, a, [&] { return e; });
  }
  friend PathDualOf sqrt(const PathDualOf& a) {
    const R root = sqrt(a.v);
    return chained(root, a, [&] { return R(1 / (2 * root)); });
  }
  friend PathDualOf expm1(const PathDualOf& a) {
    const R e = expm1(a.v);
    return chained(e, a, [&] { return R(e + 1); });
  }
  friend PathDualOf log1p(const PathDualOf& a) {
    return chained(log1p(a.v), a, [&] { return R(1 / (1 + a.v)); });
  }
  friend PathDualOf log(const PathDualOf& a) {
    return chained(log(a.v), a, [&] { return R(1 / a.v); });
  }
  /// The slope is the difference 1 - tanh^2, its terms 1 + tanh^2.
  friend PathDualOf tanh(const PathDualOf& a) {
    const R t = tanh(a.v);
    PathDualOf result = chained(t, a, [&] { return R(1 - t * t); });
    if (a.moves) result.paths = a.paths * R(1 + t * t);
    return result;
  }
  friend PathDualOf erf(const PathDualOf& a) {
    return chained(erf(a.v), a, [&] { return R(2 / sqrt(PiOf<R>::value()) * exp(R(-a.v * a.v))); });
  }

  friend PathDualOf sin(const PathDualOf& a) {
    return chained(R(sin(a.v)), a, [&] { return R(cos(a.v)); });
  }
  friend PathDualOf cos(const PathDualOf& a) {
    return chained(R(cos(a.v)), a, [&] { return R(-sin(a.v)); });
  }

  friend bool operator<(const PathDualOf& a, const PathDualOf& b) { return a.v < b.v; }
  friend bool has_value(const PathDualOf& a) {
    return isfinite(a.v) && isfinite(a.sum) && isfinite(a.paths);
  }

 private:
  static R one() { return R(1); }

  /// A function's value, from its slopes by one or two arguments. A slope is asked only by what
  /// moves.
  template <class SlopeA, class SlopeB = decltype(one)>
  static PathDualOf chained(const R& value, const PathDualOf& a, const SlopeA& slope_a,
                            const PathDualOf& b = {}, const SlopeB& slope_b = one) {
    PathDualOf result;
    result.v = value;
    if (a.moves) result.add(a, slope_a());
    if (b.moves) result.add(b, slope_b());
    if (kRounds && value != 0) {
      result.moves = true;
      result.paths += abs(value);
    }
    return result;
  }
  void add(const PathDualOf& a, const R& slope) {
    moves = true;
    sum += a.sum * slope;
    paths += a.paths * abs(slope);
  }
};

template <class R, bool kRounds>
struct PiOf<PathDualOf<R, kRounds>> {
  static PathDualOf<R, kRounds> value() { return {PiOf<R>::value(), 0.0}; }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
