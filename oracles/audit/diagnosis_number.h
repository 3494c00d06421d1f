// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <vector>

namespace gradproof::diagnosis {

/// Explanations are computed in more bits than any kernel's number has.
using Wide = long double;

/// A number of a changed formula, and how far a kernel that computes it may be off, to first order
/// and in units of one rounding. Only the quotient of two such errors is used: that of the changed
/// formula over that of the right one says how much wider than its bound an entry may be.
struct Weighed {
  Wide value = 0;
  double error = 0;
};

inline Weighed exact(Wide value) { return {value, 0}; }

inline Weighed rounded(Wide value, double error) {
  return {value, error + static_cast<double>(std::fabs(value))};
}

inline double size_of(const Weighed& a) { return static_cast<double>(std::fabs(a.value)); }

inline Weighed operator+(const Weighed& a, const Weighed& b) {
  return rounded(a.value + b.value, a.error + b.error);
}
inline Weighed operator-(const Weighed& a, const Weighed& b) {
  return rounded(a.value - b.value, a.error + b.error);
}
inline Weighed operator*(const Weighed& a, const Weighed& b) {
  return rounded(a.value * b.value, size_of(a) * b.error + size_of(b) * a.error);
}
inline Weighed operator/(const Weighed& a, Wide b) {
  return rounded(a.value / b, a.error / static_cast<double>(std::fabs(b)));
}

/// exp of a number that is not positive; as a float32's, for a kernel that should do better.
inline Wide exp_of(Wide z, bool as_float) {
  return as_float ? static_cast<float>(std::exp(static_cast<double>(static_cast<float>(z))))
                  : std::exp(z);
}

/// sigmoid(z) and sigmoid(-z).
struct Logistic {
  Weighed sigmoid;
  Weighed complement;
};

inline Logistic logistic_of(const Weighed& z, bool as_float) {
  const Wide e = exp_of(-std::fabs(z.value), as_float);
  const Wide large = 1 / (1 + e);
  const Wide small = e / (1 + e);
  const Wide s = z.value < 0 ? small : large;
  const Wide c = z.value < 0 ? large : small;
  const double moved = static_cast<double>(s * c) * z.error;
  return {{s, moved + 2 * static_cast<double>(s)}, {c, moved + 2 * static_cast<double>(c)}};
}

/// Row-major, or one for each column or unit.
using Matrix = std::vector<Weighed>;

}  // namespace gradproof::diagnosis
