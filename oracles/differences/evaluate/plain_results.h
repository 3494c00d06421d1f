// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/differences/evaluate/norm_surface.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline Wide wide_of(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide wide_of(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

/// One lane as an R, which is Wide for packs.
template <class R, class T>
R result_of(const T& v, int at) {
  if constexpr (kLanesOf<T> == 1)
    return R(v);
  else
    return wide_of(lane(v, at));
}

/// One lane rounded to a double.
template <class T>
double leading(const T& v, int at) {
  if constexpr (kLanesOf<T> == 1)
    return v.template convert_to<double>();
  else
    return lane(v, at).hi;
}

/// |a b| of one lane, rounded to a double.
template <class T>
double size_of_product(const T& a, const T& b, int at) {
  if constexpr (kLanesOf<T> == 1)
    return leading(size_of_number(T(a * b)), at);
  else
    return __builtin_fabs(leading(a, at) * leading(b, at));
}

/// a 2^exponent, as tableau.h asks of a number.
inline TripledOf<Pack> ldexp(const TripledOf<Pack>& a, int exponent) {
  const Pack power(__builtin_ldexp(1, exponent));
  return {a.hi * power, a.mid * power, a.lo * power};
}

inline TripledOf<Pack> tripled(const DoubledOf<Pack>& v) { return {v.hi, v.lo, Pack(0)}; }
inline TripledOf<Pack> tripled(const TripledOf<Pack>& v) { return v; }

/// The triple-double, in which leading parts may have cancelled, rounded to a double.
inline Pack rounded(const TripledOf<Pack>& v) { return v.hi + (v.mid + v.lo); }

/// The changes of the numbers in a T by moves of 2^k h up and down.
template <class T>
struct MovedChanges {
  T above[kOrders + 1];
  T below[kOrders + 1];
};

/// The differences of the numbers in a pack. The tableau is in triple-doubles. Its rounding error
/// is below 2^8 u |D(h)|, u their round-off; that of the changes, u |L| / h, is far larger.
template <class T>
class PackedDifference {
 public:
  PackedDifference(const T& claimed, const MovedChanges<T>& moved, const StepChoice& step)
      : claimed_(claimed) {
    const auto& [order_index, log2_h] = step;
    TripledOf<Pack> odd[kOrders + 1];
    TripledOf<Pack> even[kOrders + 1];
    for (int k = 0; k < order_index + 2; ++k) {
      odd[k] = tripled(moved.above[k]) - tripled(moved.below[k]);
      even[k] = tripled(moved.above[k]) + tripled(moved.below[k]);
    }
    const TripledOf<Pack> fine = central(odd, order_index, log2_h);
    error_ = rounded(fine - tripled(claimed));
    self_error_ = rounded(fine - central(odd + 1, order_index, log2_h + 1));
    jump_ = rounded(jump(even, order_index + 2, log2_h));
  }

  Difference at(int k) const {
    return {wide_of(lane(claimed_, k)), lane(error_, k), lane(self_error_, k), lane(jump_, k)};
  }

 private:
  T claimed_;
  Pack error_ = 0;
  Pack self_error_ = 0;
  Pack jump_ = 0;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
