// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "oracles/arithmetic/pack.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The count of numbers in a T: 1 for all types but Pack and those that are built of Packs.
template <class T>
struct LanesOf : std::integral_constant<int, 1> {};
template <>
struct LanesOf<Pack> : std::integral_constant<int, kPackLanes> {};
template <class T>
inline constexpr int kLanesOf = LanesOf<T>::value;

/// The result of a comparison of two T: bool, or a Mask with a truth value for each lane.
template <class T>
using MaskOf = std::conditional_t<kLanesOf<T> == 1, bool, Mask>;

/// True where the hardware has `fused`, a product and a sum with one rounding.
#ifdef __FMA__
inline constexpr bool kHasFused = true;
[[gnu::always_inline]] inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
#else
inline constexpr bool kHasFused = false;
#endif

// The functions of Pack for a single number, so that the same templates take both. A select
// computes both of its sides.
template <class T>
[[gnu::always_inline]] inline T select(bool m, const T& a, const T& b) {
  return m ? a : b;
}
[[gnu::always_inline]] inline bool any(bool m) { return m; }
[[gnu::always_inline]] inline bool all(bool m) { return m; }
[[gnu::always_inline]] inline bool lane(bool m, int) { return m; }
[[gnu::always_inline]] inline double lane(double a, int) { return a; }
[[gnu::always_inline]] inline double abs(double a) { return __builtin_fabs(a); }
[[gnu::always_inline]] inline double sqrt(double a) { return __builtin_sqrt(a); }
/// As the hardware's instructions do, min and max return b if a or b is NaN or both are 0.
[[gnu::always_inline]] inline double min(double a, double b) { return a < b ? a : b; }
[[gnu::always_inline]] inline double max(double a, double b) { return a > b ? a : b; }
[[gnu::always_inline]] inline std::uint64_t bits_of(double a) {
  return std::bit_cast<std::uint64_t>(a);
}
[[gnu::always_inline]] inline double doubles_of(std::uint64_t a) {
  return std::bit_cast<double>(a);
}
[[gnu::always_inline]] inline double looked_up(const double* table, std::uint64_t index) {
  return table[index];
}

template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_finite(const V& a) {
  return abs(a) < std::numeric_limits<double>::infinity();
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_inf(const V& a) {
  return abs(a) == V(std::numeric_limits<double>::infinity());
}
template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_nan(const V& a) {
  return !(a == a);
}

/// True in the first `count` lanes, of which there is at least one.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> first_lanes(std::int64_t count) {
  if constexpr (kLanesOf<V> == 1)
    return true;
  else
    return Mask(raw::first(static_cast<int>(std::min<std::int64_t>(count, kPackLanes))), 0);
}

/// Loads `count` numbers, 1 to the lanes of V; the lanes behind them repeat the last number.
template <class V>
[[gnu::always_inline]] inline V load(const double* from, std::int64_t count = kLanesOf<V>) {
  if constexpr (kLanesOf<V> == 1) {
    return *from;
  } else if (count >= kPackLanes) [[likely]] {
    raw::Doubles all;
    __builtin_memcpy(&all, from, sizeof all);
    return V(all, 0);
  } else {
    raw::Doubles some{};
    for (int i = 0; i < kPackLanes; ++i) some[i] = from[i < count ? i : count - 1];
    return V(some, 0);
  }
}

/// Stores the first `count` lanes.
[[gnu::always_inline]] inline void store(double* to, double from, std::int64_t = 1) { *to = from; }
[[gnu::always_inline]] inline void store(double* to, const Pack& from,
                                         std::int64_t count = kPackLanes) {
  if (count >= kPackLanes) [[likely]]
    __builtin_memcpy(to, &from.raw, sizeof from.raw);
  else
    for (int i = 0; i < count; ++i) to[i] = from.raw[i];
}

/// f(number) in each lane, for a function of one double; f is called once if all lanes are equal.
template <class V, class Function>
[[gnu::always_inline]] inline V lanewise(const V& x, const Function& f) {
  if constexpr (kLanesOf<V> == 1) {
    return f(x);
  } else {
    const double first = f(lane(x, 0));
    if (all(x == V(lane(x, 0)))) return V(first);
    double each[kPackLanes] = {first};
    for (int i = 1; i < kPackLanes; ++i) each[i] = f(lane(x, i));
    return load<V>(each);
  }
}

/// The number with 0 behind its first `count` lanes, for any T that has a select().
template <class T>
[[gnu::always_inline]] inline T kept(const T& a, std::int64_t count) {
  if constexpr (kLanesOf<T> == 1)
    return a;
  else
    return select(first_lanes<T>(count), a, T(0));
}

/// Joins all lanes pairwise by a commutative `join`; all lanes of the result are equal, bit by bit.
template <class T, class Join>
[[gnu::always_inline]] inline T joined(T a, const Join& join) {
  if constexpr (kLanesOf<T> >= 2) a = join(a, exchanged<1>(a));
  if constexpr (kLanesOf<T> >= 4) a = join(a, exchanged<2>(a));
  if constexpr (kLanesOf<T> >= 8) a = join(a, exchanged<4>(a));
  return a;
}
template <class T>
[[gnu::always_inline]] inline T sum_of_lanes(const T& a) {
  return joined(a, [](const T& x, const T& y) { return x + y; });
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
