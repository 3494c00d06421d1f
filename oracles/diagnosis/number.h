// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <memory>
#include <vector>

namespace gradproof::diagnosis {

/// The arithmetic of the replay: on x86 it has 64 bits of precision, more than any kernel's number.
using LongDouble = long double;

/// A value of the replay with its rounding error to first order:
///   |computed by a kernel - value| <= unit roundoff * error.
/// Only quotients of two errors are used: the error under a changed formula over the error under
/// the right one is the factor by which the bound of an entry grows.
struct TrackedReal {
  LongDouble value = 0;
  double error = 0;
};

inline TrackedReal exact(LongDouble value) { return {value, 0}; }

inline TrackedReal rounded(LongDouble value, double error) {
  return {value, error + static_cast<double>(std::fabs(value))};
}

inline double size_of(const TrackedReal& a) { return static_cast<double>(std::fabs(a.value)); }

inline TrackedReal operator+(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline TrackedReal operator-(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline TrackedReal operator*(const TrackedReal& a, const TrackedReal& b) {
  return rounded(a.value * b.value, size_of(a) * b.error + size_of(b) * a.error);
}
inline TrackedReal operator/(const TrackedReal& a, LongDouble b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// The precision of exp: that of LongDouble; that of a double, nine digits more than a float32; or
/// that of a float32, which explains a float64 kernel that takes the exp of a float32.
enum class Exp { as_long_double, as_double, as_float };

/// exp(z) for z <= 0.
inline LongDouble exp_of(LongDouble z, Exp kind) {
  if (kind == Exp::as_long_double) return std::exp(z);
  const double narrow = static_cast<double>(z);
  if (kind == Exp::as_double) return std::exp(narrow);
  return static_cast<float>(std::exp(static_cast<double>(static_cast<float>(narrow))));
}

/// sigmoid(z) and sigmoid(-z).
struct Logistic {
  TrackedReal sigmoid;
  TrackedReal complement;
};

inline Logistic logistic_of(const TrackedReal& z, Exp kind) {
  const LongDouble e = exp_of(-std::fabs(z.value), kind);
  const LongDouble large = 1 / (1 + e);
  const LongDouble small = e * large;
  const LongDouble s = z.value < 0 ? small : large;
  const LongDouble c = z.value < 0 ? large : small;
  const double moved = static_cast<double>(s * c) * z.error;
  return {{s, moved + 2 * static_cast<double>(s)}, {c, moved + 2 * static_cast<double>(c)}};
}

/// Numbers of all elements, row-major; or one number for each column, or for each unit.
using Matrix = std::vector<TrackedReal>;
/// A matrix that several replayed pipelines share.
using Shared = std::shared_ptr<const Matrix>;

inline Shared shared(Matrix matrix) { return std::make_shared<const Matrix>(std::move(matrix)); }

}  // namespace gradproof::diagnosis
