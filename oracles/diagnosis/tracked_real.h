// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "oracles/arithmetic/plain.h"

namespace gradproof::diagnosis {

/// On x86 it has 64 bits of precision, more than any kernel's number.
using LongDouble = long double;

/// A number with its rounding error to first order:
///   |computed by a kernel - value| <= unit roundoff * error.
/// Only quotients of two errors are used: the error under a changed formula over the error under
/// the right one is the factor by which the bound of an entry grows.
struct TrackedReal {
  LongDouble value = 0;
  double error = 0;

  double size() const { return static_cast<double>(std::fabs(value)); }

  /// Adds a term to a sum that is a short chain: the term's own rounding alone is counted.
  TrackedReal& operator+=(const TrackedReal& term) {
    value += term.value;
    error += term.error + term.size();
    return *this;
  }
};

using Numbers = Values<TrackedReal>;
using UnitStatistics = Statistics<TrackedReal>;

inline TrackedReal exact(LongDouble value) { return {value, 0}; }

inline TrackedReal rounded(LongDouble value, double error) {
  return {value, error + static_cast<double>(std::fabs(value))};
}

inline TrackedReal operator+(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline TrackedReal operator-(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline TrackedReal operator*(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value * b.value, a.size() * b.error + b.size() * a.error);
}
inline TrackedReal operator/(const TrackedReal& a, LongDouble b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// The precision of exp: that of LongDouble; that of a double, nine digits more than a float32; or
/// that of a float32, which explains a float64 kernel that takes the exp of a float32.
enum class Exp { as_long_double, as_double, as_float };

/// The arithmetic in which the oracle's stages do the passes that a kernel's gradient is compared
/// with.
class ReplayArithmetic : public Plain<TrackedReal> {
 public:
  /// Of units with `count` numbers.
  ReplayArithmetic(std::int64_t count, Exp exp) : exp_(exp) { take_count(count); }

  /// The error of the variance is left out: that of rstd is one rounding.
  UnitStatistics statistics(const Numbers& x, double eps) const {
    const TrackedReal mean = sum_in_unit(x) / count();
    LongDouble squares = 0;
    for (const TrackedReal& a : x) squares += (a.value - mean.value) * (a.value - mean.value);
    const TrackedReal variance = exact(squares / static_cast<LongDouble>(count()));
    return {mean, variance, rstd(variance, eps)};
  }
  TrackedReal rstd(const TrackedReal& variance, double eps) const {
    return rounded(1 / std::sqrt(variance.value + eps), 0);
  }

  Sigmoid logistic(const TrackedReal& z) const {
    const LongDouble e = exp_of(-std::fabs(z.value));
    const LongDouble large = 1 / (1 + e);
    const LongDouble small = e * large;
    const LongDouble s = z.value < 0 ? small : large;
    const LongDouble q = z.value < 0 ? large : small;
    const double moved = static_cast<double>(s * q) * z.error;
    return {{s, moved + 2 * static_cast<double>(s)}, {q, moved + 2 * static_cast<double>(q)}};
  }

 private:
  /// exp(z) for z <= 0.
  LongDouble exp_of(LongDouble z) const {
    if (exp_ == Exp::as_long_double) return std::exp(z);
    const double narrow = static_cast<double>(z);
    if (exp_ == Exp::as_double) return std::exp(narrow);
    return static_cast<float>(std::exp(static_cast<double>(static_cast<float>(narrow))));
  }

  Exp exp_;
};

}  // namespace gradproof::diagnosis
