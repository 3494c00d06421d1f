// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline TripledOf<Pack> times_power(const TripledOf<Pack>& a, int exponent) {
  const Pack power(__builtin_ldexp(1, exponent));
  return {a.hi * power, a.mid * power, a.lo * power};
}
inline TripledOf<Pack> divided(const TripledOf<Pack>& a, int b) { return a / Pack(b); }

inline TripledOf<Pack> tripled(const DoubledOf<Pack>& v) { return {v.hi, v.lo, Pack(0)}; }
inline TripledOf<Pack> tripled(const TripledOf<Pack>& v) { return v; }

/// The triple-double, in which leading parts may have cancelled, rounded to a double.
inline Pack rounded(const TripledOf<Pack>& v) { return v.hi + (v.mid + v.lo); }

/// The tableau of tableau.h in packs of triple-doubles. Its rounding error is below 2^8 u |D(h)|, u
/// the round-off of triple-doubles. That of the changes, u |L| / h, is far larger.
class PackedTableau {
 public:
  using W = TripledOf<Pack>;

  static constexpr int kMost = kOrders + 1;  ///< steps

  PackedTableau(int order_index, int log2_h) : order_index_(order_index), log2_h_(log2_h) {}

  int steps() const { return order_index_ + 2; }

  /// L(x + 2^k h) - L(x) and L(x - 2^k h) - L(x).
  void take(int k, const W& above, const W& below) {
    odd_[k] = above - below;
    even_[k] = above + below;
  }

  W fine() const { return central(odd_, order_index_, log2_h_); }
  W coarse() const { return central(odd_ + 1, order_index_, log2_h_ + 1); }
  W jump() const { return gradproof::jump(even_, steps(), log2_h_); }

 private:
  int order_index_;
  int log2_h_;
  W odd_[kMost];
  W even_[kMost];
};

/// Stores the first `count` lanes of the tableau's differences.
inline void store_differences(const PackedTableau& tableau, const TripledOf<Pack>& claimed,
                              std::int64_t count, const DifferencesInto& into) {
  const TripledOf<Pack> fine = tableau.fine();
  store(into.error, rounded(fine - claimed), count);
  store(into.self_error, rounded(fine - tableau.coarse()), count);
  store(into.jump, rounded(tableau.jump()), count);
  for (int i = 0; i < count; ++i) {
    const TripledOf<double> one = lane(claimed, i);
    into.claimed[i] = {one.hi, one.mid, one.lo};
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
