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

/// The triple-double, in which leading parts may have cancelled, rounded to a double.
inline Pack rounded(const TripledOf<Pack>& v) { return v.hi + (v.mid + v.lo); }

/// A pack of `count` numbers, 1 to its lanes; the lanes behind them repeat the first.
inline TripledOf<Pack> packed(const Wide* from, std::size_t count) {
  double hi[kPackLanes];
  double mid[kPackLanes];
  double lo[kPackLanes];
  for (std::size_t i = 0; i < kPackLanes; ++i) {
    const Wide& number = from[i < count ? i : 0];
    hi[i] = number.hi;
    mid[i] = number.mid;
    lo[i] = number.lo;
  }
  return {load<Pack>(hi), load<Pack>(mid), load<Pack>(lo)};
}

/// The differences of the numbers in one pack, as PackedMoves::differences says. The tableau is in
/// triple-doubles. Its rounding error is below 2^8 u |D(h)|, u their round-off; that of the
/// changes, u |L| / h, is far larger.
inline void write_differences(const Wide* claimed, const Wide* changes, std::size_t stride,
                              std::size_t count, const StepChoice& step, Difference* into) {
  const auto& [order_index, log2_h] = step;
  TripledOf<Pack> odd[kOrders + 1];
  TripledOf<Pack> even[kOrders + 1];
  for (std::size_t k = 0; k < static_cast<std::size_t>(order_index) + 2; ++k) {
    const TripledOf<Pack> above = packed(changes + 2 * k * stride, count);
    const TripledOf<Pack> below = packed(changes + (2 * k + 1) * stride, count);
    odd[k] = above - below;
    even[k] = above + below;
  }
  const TripledOf<Pack> fine = central(odd, order_index, log2_h);
  const Pack error = rounded(fine - packed(claimed, count));
  const Pack self_error = rounded(fine - central(odd + 1, order_index, log2_h + 1));
  const Pack bend = rounded(jump(even, order_index + 2, log2_h));
  for (std::size_t i = 0; i < count; ++i) {
    const int k = static_cast<int>(i);
    into[i] = {claimed[i], lane(error, k), lane(self_error, k), lane(bend, k)};
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
