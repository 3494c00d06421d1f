// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <memory>
#include <vector>

namespace gradproof::diagnosis {

/// Explanations are computed in more bits than any kernel's number has.
using Wide = long double;

/// A number of a changed formula, and how far a kernel that computes it may be off, to first order
/// and in units of one rounding. Only the quotient of two such errors is used: that of the changed
/// formula over that of the right one says how much wider than its bound an entry may be.
struct TrackedReal {
  Wide value = 0;
  double error = 0;
};

inline TrackedReal exact(Wide value) { return {value, 0}; }

inline TrackedReal rounded(Wide value, double error) {
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
inline TrackedReal operator/(const TrackedReal& a, Wide b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// Whose exp: Wide's own; a double's, nine digits beyond a float32's; or a float32's, for a kernel
/// that should do better.
enum class Exp { wide, as_double, as_float };

/// exp of a number that is not positive.
inline Wide exp_of(Wide z, Exp kind) {
  if (kind == Exp::wide) return std::exp(z);
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
  const Wide e = exp_of(-std::fabs(z.value), kind);
  const Wide large = 1 / (1 + e);
  const Wide small = e * large;
  const Wide s = z.value < 0 ? small : large;
  const Wide c = z.value < 0 ? large : small;
  const double moved = static_cast<double>(s * c) * z.error;
  return {{s, moved + 2 * static_cast<double>(s)}, {c, moved + 2 * static_cast<double>(c)}};
}

/// Row-major, or one for each column or unit.
using Matrix = std::vector<TrackedReal>;
/// One that several scenes have.
using Shared = std::shared_ptr<const Matrix>;

inline Shared shared(Matrix matrix) { return std::make_shared<const Matrix>(std::move(matrix)); }

}  // namespace gradproof::diagnosis
