// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The tableau of tableau.h in packs of triple-doubles. Its rounding error is below 2^8 u |D(h)|, u
/// the round-off of triple-doubles. That of the changes, u |L| / h, is far larger.
class PackedTableau {
 public:
  using W = TripledOf<Pack>;

  static constexpr int kMost = 4;  ///< steps

  PackedTableau(int order_index, int log2_h) : order_index_(order_index), log2_h_(log2_h) {}

  int steps() const { return order_index_ + 2; }

  /// L(x + 2^k h) - L(x) and L(x - 2^k h) - L(x).
  void take(int k, const W& above, const W& below) {
    odd_[k] = above - below;
    even_[k] = above + below;
  }

  W fine() const { return central(odd_, log2_h_); }
  W coarse() const { return central(odd_ + 1, log2_h_ + 1); }

  W jump() const {
    W bend[kMost];
    for (int k = 0; k < steps(); ++k) bend[k] = times_power(even_[k], -log2_h_ - k);
    for (int level = 1; level < steps(); ++level)
      for (int k = 0; k < steps() - level; ++k) {
        const int log2_weight = 2 * level - 1;
        const double less_one = (1 << log2_weight) - 1;
        bend[k] = (times_power(bend[k], log2_weight) - bend[k + 1]) / Pack(less_one);
      }
    return bend[0];
  }

 private:
  /// a 2^exponent.
  static W times_power(const W& a, int exponent) {
    const Pack power(__builtin_ldexp(1, exponent));
    return {a.hi * power, a.mid * power, a.lo * power};
  }

  W central(const W* odd, int log2_h) const {
    if (order_index_ == 0) return times_power(odd[0], -1 - log2_h);
    if (order_index_ == 1)
      return times_power((times_power(odd[0], 3) - odd[1]) / Pack(3), -2 - log2_h);
    const W forty = times_power(odd[1], 5) + times_power(odd[1], 3);
    return times_power((times_power(odd[0], 8) - forty + odd[2]) / Pack(45), -3 - log2_h);
  }

  int order_index_;
  int log2_h_;
  W odd_[kMost];
  W even_[kMost];
};

inline TripledOf<Pack> tripled(const DoubledOf<Pack>& v) { return {v.hi, v.lo, Pack(0)}; }
inline TripledOf<Pack> tripled(const TripledOf<Pack>& v) { return v; }

/// The triple-double, in which leading parts may have cancelled, rounded to a double.
inline Pack rounded(const TripledOf<Pack>& v) { return v.hi + (v.mid + v.lo); }

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
