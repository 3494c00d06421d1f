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

/// A float that counts the additions its value hangs on: run a kernel on it, and its real reduction
/// depth shows. Sums and differences are one deeper than their deeper operand; fma continues the
/// chain of its addend; products, quotients and functions start anew. Adding an exact zero that is
/// no sum itself counts as nothing: it rounds nothing, and it is how accumulators begin. (So count
/// on data without zeros.)
struct Counted {
  float value;
  std::int32_t depth;

  Counted() = default;  // trivial, as shared memory needs it
  SIMT_HOST_DEVICE Counted(float v) : value(v), depth(0) {}
  SIMT_HOST_DEVICE Counted(float v, std::int32_t d) : value(v), depth(d) {}
  SIMT_HOST_DEVICE explicit operator float() const { return value; }
  SIMT_HOST_DEVICE bool is_fresh_zero() const { return value == 0.0f && depth == 0; }
};

/// The sum's depth, remembered if it is the deepest of the launch. (Only the executor counts.)
SIMT_HOST_DEVICE inline Counted counted_sum(float value, const Counted& a, const Counted& b) {
  if (a.is_fresh_zero()) return {value, b.depth};
  if (b.is_fresh_zero()) return {value, a.depth};
  const std::int32_t depth = (a.depth > b.depth ? a.depth : b.depth) + 1;
#if !defined(__CUDACC__)
  if (depth > executor::running.longest_chain) executor::running.longest_chain = depth;
#endif
  return {value, depth};
}

SIMT_HOST_DEVICE inline Counted operator+(Counted a, Counted b) {
  return counted_sum(a.value + b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator-(Counted a, Counted b) {
  return counted_sum(a.value - b.value, a, b);
}
SIMT_HOST_DEVICE inline Counted operator*(Counted a, Counted b) { return {a.value * b.value}; }
SIMT_HOST_DEVICE inline Counted operator/(Counted a, Counted b) { return {a.value / b.value}; }
SIMT_HOST_DEVICE inline Counted operator-(Counted a) { return {-a.value, a.depth}; }
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

SIMT_HOST_DEVICE inline Counted exp(Counted x) { return {exp(x.value)}; }
SIMT_HOST_DEVICE inline Counted sqrt(Counted x) { return {sqrt(x.value)}; }
SIMT_HOST_DEVICE inline Counted rsqrt(Counted x) { return {rsqrt(x.value)}; }
SIMT_HOST_DEVICE inline Counted fma(Counted a, Counted b, Counted c) {
  const float value = fma(a.value, b.value, c.value);
  return c.is_fresh_zero() ? Counted(value) : counted_sum(value, c, Counted(1.0f));
}
SIMT_HOST_DEVICE inline Counted max(Counted a, Counted b) { return a.value < b.value ? b : a; }
SIMT_HOST_DEVICE inline Counted min(Counted a, Counted b) { return b.value < a.value ? b : a; }
SIMT_HOST_DEVICE inline Counted abs(Counted x) { return {abs(x.value), x.depth}; }

}  // namespace SIMT_VIEW
}  // namespace math
}  // namespace simt
