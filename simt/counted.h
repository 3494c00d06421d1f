// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/math.h"
#include "simt/view.h"

#if !defined(__CUDACC__)
#include "simt/executor/runtime.h"
#endif

namespace simt {

/// The longest chain of dependent additions that Counted elements went through in this thread's
/// last launch.
std::int32_t max_addition_chain();

inline namespace SIMT_VIEW {

/// A float that counts the additions its value depends on: a kernel run on Counted shows its real
/// reduction depth. Adding an exact zero that is no sum itself counts as nothing: it rounds
/// nothing, and accumulators begin with such a zero. (So count on data without zeros.)
struct Counted {
  float value;
  /// A sum or difference is one deeper than its deeper operand; fma continues the chain of its
  /// addend; products, quotients and functions start anew at 0.
  std::int32_t depth;
  /// The largest depth among all numbers that the value was made of: no less than that of the sums
  /// behind it, unless products are among their own terms, as where an online softmax rescales.
  std::int32_t longest;
  /// All additions on the longest way to the value, whatever operations stand between them: no sum
  /// behind the value has a longer chain.
  std::int32_t path;

  Counted() = default;  // trivial, as shared memory needs it
  SIMT_HOST_DEVICE constexpr Counted(float v) : Counted(v, 0) {}
  SIMT_HOST_DEVICE constexpr Counted(float v, std::int32_t d) : Counted(v, d, d, d) {}
  SIMT_HOST_DEVICE constexpr Counted(float v, std::int32_t d, std::int32_t l, std::int32_t p)
      : value(v), depth(d), longest(l), path(p) {}
  SIMT_HOST_DEVICE constexpr explicit operator float() const { return value; }
  SIMT_HOST_DEVICE constexpr bool is_fresh_zero() const { return value == 0.0f && depth == 0; }
};

SIMT_HOST_DEVICE constexpr std::int32_t larger(std::int32_t a, std::int32_t b) {
  return a > b ? a : b;
}

/// Returns the sum, and notes its depth if it is the deepest of the launch (only in the executor).
SIMT_HOST_DEVICE inline Counted counted_sum(float value, const Counted& a, const Counted& b) {
  const bool adds = !a.is_fresh_zero() && !b.is_fresh_zero();
  const std::int32_t depth = larger(a.depth, b.depth) + (adds ? 1 : 0);
#if !defined(__CUDACC__)
  if (depth > executor::running.longest_chain) executor::running.longest_chain = depth;
#endif
  return {value, depth, larger(depth, larger(a.longest, b.longest)),
          larger(a.path, b.path) + (adds ? 1 : 0)};
}

/// The result of a product, a quotient or a function: depth is 0; longest and path are the largest.
SIMT_HOST_DEVICE inline Counted counted_anew(float value, const Counted& a) {
  return {value, 0, a.longest, a.path};
}
SIMT_HOST_DEVICE inline Counted counted_anew(float value, const Counted& a, const Counted& b) {
  return {value, 0, larger(a.longest, b.longest), larger(a.path, b.path)};
}

SIMT_HOST_DEVICE inline Counted operator+(Counted a, Counted b) {
  return counted_sum(a.value + b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator-(Counted a, Counted b) {
  return counted_sum(a.value - b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator*(Counted a, Counted b) {
  return counted_anew(a.value * b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator/(Counted a, Counted b) {
  return counted_anew(a.value / b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator-(Counted a) {
  return {-a.value, a.depth, a.longest, a.path};
}
SIMT_HOST_DEVICE inline Counted& operator+=(Counted& a, Counted b) { return a = a + b; }
SIMT_HOST_DEVICE inline Counted& operator-=(Counted& a, Counted b) { return a = a - b; }
SIMT_HOST_DEVICE inline Counted& operator*=(Counted& a, Counted b) { return a = a * b; }
SIMT_HOST_DEVICE inline Counted& operator/=(Counted& a, Counted b) { return a = a / b; }
SIMT_HOST_DEVICE inline bool operator<(Counted a, Counted b) { return a.value < b.value; }
SIMT_HOST_DEVICE inline bool operator>(Counted a, Counted b) { return a.value > b.value; }
SIMT_HOST_DEVICE inline bool operator<=(Counted a, Counted b) { return a.value <= b.value; }
SIMT_HOST_DEVICE inline bool operator>=(Counted a, Counted b) { return a.value >= b.value; }
SIMT_HOST_DEVICE inline bool operator==(Counted a, Counted b) { return a.value == b.value; }
SIMT_HOST_DEVICE inline bool operator!=(Counted a, Counted b) { return a.value != b.value; }

}  // namespace SIMT_VIEW

namespace math {
inline namespace SIMT_VIEW {

SIMT_HOST_DEVICE inline Counted exp(Counted x) { return counted_anew(exp(x.value), x); }
SIMT_HOST_DEVICE inline Counted sqrt(Counted x) { return counted_anew(sqrt(x.value), x); }
SIMT_HOST_DEVICE inline Counted rsqrt(Counted x) { return counted_anew(rsqrt(x.value), x); }
SIMT_HOST_DEVICE inline Counted fma(Counted a, Counted b, Counted c) {
  const float value = fma(a.value, b.value, c.value);
  Counted product = counted_anew(1.0f, a, b);
  if (c.is_fresh_zero()) product.value = value;
  return c.is_fresh_zero() ? product : counted_sum(value, c, product);
}
SIMT_HOST_DEVICE inline Counted max(Counted a, Counted b) { return a.value < b.value ? b : a; }
SIMT_HOST_DEVICE inline Counted min(Counted a, Counted b) { return b.value < a.value ? b : a; }
SIMT_HOST_DEVICE inline Counted abs(Counted x) {
  return {abs(x.value), x.depth, x.longest, x.path};
}

}  // namespace SIMT_VIEW
}  // namespace math
}  // namespace simt
