// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/answer.h"
#include "core/tensor/dtype.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/bounds/number_type.h"

namespace gradproof {

/// The permitted error of one computed number.
struct Permitted {
  double error = 0;       ///< |computed - exact| before the result is stored
  bool vacuous = false;   ///< the error is no bound at all
  bool overflow = false;  ///< the computation may have overflowed on the way
  bool infinite = false;  ///< it surely did, at the end: is_surely_infinite()
};

/// The type that a tensor is stored in.
struct StoredType {
  DType dtype = DType::f32;
  double unit = 0;       ///< unit roundoff of an extra rounding to this type; 0: there is none
  double underflow = 0;  ///< absolute error of that rounding near 0
  double largest = 0;    ///< finite number
  double overflow = 0;   ///< numbers of at least this size round to infinity
};

/// The StoredType of a tensor. `accumulation`, a type at least as wide, is the one that its numbers
/// are computed in.
StoredType stored_type_of(DType storage, DType accumulation);

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A truth decides a verdict if radius <= kSharp bound, or if the radius is 0.
///
/// At a kink the bound is the jump J between two slopes, and a right program is exactly J off. Its
/// error/bound is then 1/(1 + kBookkeeping) and may not lie in the undecided zone, which begins at
/// 1 - kSharp.
inline constexpr double kSharp = kBookkeeping / 4;

/// A truth and its bound in the stored type: the fields of a Truth (core/compare/comparison.h),
/// where V may be several numbers.
template <class V>
struct StoredTruth {
  V hi;
  V lo;
  V radius;
  V bound;
  MaskOf<V> any_nonfinite;
};

template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_decided(const V& radius, const V& bound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return (radius == V(0)) | ((radius < V(kInfinity)) & (radius <= V(kSharp) * bound));
}

/// True where a truth is exact and the type can hold it, so that storing it rounds nothing.
template <class V>
inline MaskOf<V> is_exact_when_stored(const StoredType& type, const V& hi, const MaskOf<V>& exact) {
  double holds[kLanesOf<V>];
  for (int i = 0; i < kLanesOf<V>; ++i) {
    const double value = lane(hi, i);
    holds[i] = lane(exact, i) && round_to(type.dtype, value) == value ? 1 : 0;
  }
  return load<V>(holds) == V(1);
}

/// True where a truth is too large for the type beyond doubt; `error` is the computed number's.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> is_beyond(const StoredType& type, const V& hi,
                                                  const V& radius, const V& error) {
  return abs(hi) - error - radius > V(type.overflow);
}

/// True where storing a number may make an infinity of it. `before` is its largest size before the
/// extra rounding, which makes one of what is at least type.overflow and of nothing else, and
/// `after` the largest size after it. Where there is no such rounding the number has its type.
template <class V>
[[gnu::always_inline]] inline MaskOf<V> may_leave(const StoredType& type, const V& before,
                                                  const V& after) {
  return type.unit != 0 ? MaskOf<V>(!(before < V(type.overflow)))
                        : MaskOf<V>(!(after <= V(type.largest)));
}

/// The truth hi + lo (within its radius) and its bound in the stored type. The exact value is
/// finite; hi is infinite only where the value is outside double's range. With an infinite radius
/// the element is undecided, unless the bound is infinite too. If Permitted::infinite is set, an
/// overflow on the way says no more than a truth beyond the type. A radius of at most the smallest
/// double cannot be resolved by two doubles: it is added to the bound.
template <class V>
[[gnu::always_inline]] inline StoredTruth<V> stored_truth(
    const StoredType& type, const V& hi, const V& lo, const V& radius, const V& permitted,
    const MaskOf<V>& vacuous_way, const MaskOf<V>& overflow_way, const MaskOf<V>& infinite) {
  const V infinity(std::numeric_limits<double>::infinity());
  const V zero(0);
  const V error = permitted * V(1 + kBookkeeping);
  const MaskOf<V> as_truth =
      infinite & (is_beyond(type, hi, radius, zero) | (is_inf(hi) & (radius == zero)));
  const MaskOf<V> overflow = (overflow_way & MaskOf<V>(!as_truth)) | MaskOf<V>(!is_finite(error));
  const MaskOf<V> vacuous = vacuous_way | overflow;
  const V size = abs(hi);
  V bound = error + select(radius <= V(kSmallestDouble), radius, zero);
  if (type.unit != 0) {
    bound = bound + V(type.unit) * (size + error) + V(type.underflow);
    const MaskOf<V> exact = (error == zero) & (lo == zero) & (radius == zero);
    if (any(exact)) bound = select(is_exact_when_stored(type, hi, exact), error, bound);
  }
  const MaskOf<V> nonfinite = overflow | may_leave<V>(type, size + error + radius, size + bound);
  StoredTruth<V> r{hi, lo, radius, select(MaskOf<V>(vacuous | nonfinite), infinity, bound),
                   nonfinite};
  const MaskOf<V> decided = radius < infinity;
  // All code that computes a number surely beyond the type must get an infinity.
  const MaskOf<V> beyond = decided & !vacuous & (as_truth | is_beyond(type, hi, radius, error));
  const MaskOf<V> no_double = decided & !beyond & !is_finite(hi);
  if (any(beyond | no_double | !decided)) [[unlikely]] {
    // A finite truth that no double holds has no bound: any answer is right, so it becomes the
    // largest double, never an infinity.
    const V largest(std::numeric_limits<double>::max());
    r.hi = select(no_double, select(hi < zero, -largest, largest), r.hi);
    r.hi = select(beyond, select(hi < zero, -infinity, infinity), r.hi);
    // A truth that is not known has no class either.
    r.hi = select(decided | is_finite(hi), r.hi, zero);
    r.lo = select(decided & !beyond & !no_double, r.lo, zero);
    r.radius = select(beyond, zero, select(decided & !no_double, r.radius, infinity));
    r.bound = select(beyond, zero, select(no_double, infinity, r.bound));
    r.bound = select(decided, r.bound, select(vacuous, infinity, error));
    r.any_nonfinite = ((r.any_nonfinite | no_double) & decided & !beyond) | (overflow & !decided);
  }
  return r;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
