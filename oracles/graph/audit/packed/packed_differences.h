// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/arithmetic.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/graph/audit/packed/norm_surface.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline Wide wide_of(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide wide_of(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

/// |a b| of one lane, rounded to a double.
template <class T>
double size_of_product(const T& a, const T& b, int at) {
  return __builtin_fabs(lane(a, at).hi * lane(b, at).hi);
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

/// A pack of `count` numbers, 1 to its lanes; the lanes behind them repeat the first.
template <class T>
T packed(const Wide* from, std::size_t count) {
  double hi[kLanesOf<T>];
  double lo[kLanesOf<T>];
  for (std::size_t i = 0; i < kLanesOf<T>; ++i) {
    const Wide& number = from[i < count ? i : 0];
    hi[i] = number.hi;
    lo[i] = number.mid;
  }
  return {load<Pack>(hi), load<Pack>(lo)};
}

/// The differences of the numbers in one pack, as PackedMoves::differences says.
template <class T>
void write_differences(const Wide* claimed, const Wide* changes, std::size_t stride,
                       std::size_t count, const StepChoice& step, Difference* into) {
  MovedChanges<T> moved;
  for (std::size_t k = 0; k < static_cast<std::size_t>(step.order_index) + 2; ++k) {
    moved.above[k] = packed<T>(changes + 2 * k * stride, count);
    moved.below[k] = packed<T>(changes + (2 * k + 1) * stride, count);
  }
  const PackedDifference<T> pack(packed<T>(claimed, count), moved, step);
  for (std::size_t i = 0; i < count; ++i) into[i] = pack.at(static_cast<int>(i));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
