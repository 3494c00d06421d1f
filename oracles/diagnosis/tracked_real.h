// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

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

/// A term of a sum that is added in a short chain: its own rounding alone is counted.
inline void add_term(TrackedReal& sum, const TrackedReal& term) {
  sum.value += term.value;
  sum.error += term.error + size_of(term);
}

}  // namespace gradproof::diagnosis
