// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include "oracles/bounds/error_scalar.h"
#include "oracles/bounds/summand_statistics.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The error of a sum, summand by summand. Every number goes through at most g = chain inexact
/// additions, so that its relative error is at most (1+u)^g - 1 <= g u (1 + g u). With packs each
/// lane has its own sum until joined(). A sum that is asked for its likely error has a smaller one
/// where its numbers look drawn at random (summand_statistics.h).
template <class F, class V = double>
class ErrorSum {
 public:
  using Scalar = ErrorScalar<F, V>;

  ErrorSum() = default;
  explicit ErrorSum(const LikelySetting& setting) : summands_(setting) {}

  [[gnu::always_inline]] void add(const Scalar& from) {
    const Scalar& v = from.read();
    const V magnitude = abs(v.v) + v.total();
    take(v);
    // An addition that flushes to zero may drop a number below the smallest normal one; it drops
    // nothing when it adds 0.
    if constexpr (F::flushes) total_.e += select(magnitude > V(0), V(F::eta), V(0));
    magnitude_ += magnitude;
    finite_ += select(is_finite(v.v), v.reach(), V(0));
    if (summands_.is_asked()) summands_.add(v.v, total_.v, magnitude_);
  }

  /// Adds the product of two numbers that have no errors, as add() does. False, and nothing is
  /// added, where it is not in F's range.
  [[gnu::always_inline]] bool add_exact_product(const V& left,
                                                const V& right) requires(F::value_is_exact &&
                                                                         !F::flushes) {
    const V product = left * right;
    const V size = abs(product);
    if (!all(MaskOf<V>(size <= V(F::largest)))) [[unlikely]]
      return false;
    const V rounding = F::u * size + F::eta;
    total_.v += product;
    total_.e += rounding;
    magnitude_ += size + rounding;
    finite_ += size + rounding;
    if (summands_.is_asked()) summands_.add(product, total_.v, magnitude_);
    return true;
  }

  /// Adds the summands of another sum; they go through the same chain.
  void add(const ErrorSum& other) {
    if (summands_.is_asked()) summands_.add(other.summands_, magnitude_, other.magnitude_);
    take(other.total_);
    if constexpr (F::flushes) total_.e += select(other.magnitude_ > V(0), V(F::eta), V(0));
    magnitude_ += other.magnitude_;
    finite_ += other.finite_;
  }

  /// The sum of all lanes, in all lanes.
  ErrorSum joined() const {
    ErrorSum r;
    r.total_.v = sum_of_lanes(total_.v);
    r.total_.e = sum_of_lanes(total_.e);
    for_each_symbol([&](auto k) { r.total_.c[k] = sum_of_lanes(total_.c[k]); });
    if constexpr (F::flushes && kLanesOf < V >> 1) r.total_.e += kLanesOf<V> * F::eta;
    r.total_.vacuous = any(total_.vacuous);
    r.total_.overflow = any(total_.overflow);
    r.magnitude_ = sum_of_lanes(magnitude_);
    r.finite_ = sum_of_lanes(finite_);
    if (summands_.is_asked()) r.summands_ = summands_.joined(magnitude_);
    return r;
  }

  /// The sum after `chain` additions.
  Scalar sum(std::int64_t chain, const SumSettings& of = {}) const {
    Scalar r = total_;
    const double g = static_cast<double>(chain) * F::u;
    const double growth = g * (1 + g);
    if (chain > 0) r.e += grown(V(growth));
    if (of.of_factors > 0) r.e += from_factors(of.of_factors);
    if (of.cut_off > 0) r.e += from_cuts(static_cast<double>(chain + 1), of);
    note_range(r, V(chain > 0 ? of.share * (1 + growth + kBookkeeping) : of.share));
    return r;
  }

  /// sum() with additions counted lane by lane; a lane with no addition has no larger partial sum.
  Scalar sum_after(const V& chain, double share = 1) const {
    Scalar r = total_;
    const V g = max(chain, V(0)) * V(F::u);
    const V growth = g * (1 + g);
    r.e += select(g > V(0), grown(growth), V(0));
    note_range(r, select(g > V(0), V(share * (1 + growth + kBookkeeping)), V(1)));
    return r;
  }

  /// The sum of one lane.
  ErrorSum<F> of_lane(int i) const {
    ErrorSum<F> r;
    r.total_ = lane(total_, i);
    r.magnitude_ = lane(magnitude_, i);
    r.finite_ = lane(finite_, i);
    r.summands_ = summands_.of_lane(i);
    return r;
  }

  /// The sum with the errors that its summands shared counted as independent.
  ErrorSum folded() const {
    ErrorSum r = *this;
    r.total_.e = total_.total();
    for_each_symbol([&](auto k) { r.total_.c[k] = V(0); });
    return r;
  }

  /// Copies a sum without shared errors to and from plain fields: one compilation hands it to
  /// another in this way, as their types differ.
  template <class Fields>
  void write(Fields& to) const {
    to.value = total_.v;
    to.error = total_.e;
    to.vacuous = total_.vacuous;
    to.overflow = total_.overflow;
    to.magnitude = magnitude_;
    to.finite = finite_;
    summands_.write(to.summands);
  }
  template <class Fields>
  static ErrorSum read(const Fields& from) {
    ErrorSum r;
    r.total_.v = from.value;
    r.total_.e = from.error;
    r.total_.vacuous = from.vacuous;
    r.total_.overflow = from.overflow;
    r.magnitude_ = from.magnitude;
    r.finite_ = from.finite;
    r.summands_ = SummandStatistics<F, V>::read(from.summands);
    return r;
  }

  /// True where the likely error is asked for and the numbers look drawn at random.
  MaskOf<V> is_random() const {
    return summands_.is_asked() ? summands_.is_random(total_.v, magnitude_) : MaskOf<V>(false);
  }

 private:
  /// A bound on the sum of the additions' rounding errors: at most `growth` times all sizes.
  [[gnu::always_inline]] V grown(const V& growth) const {
    const V certain = growth * magnitude_;
    if (!summands_.is_asked()) return certain;
    const V likely = summands_.growth(total_.v, magnitude_) + growth * total_.total();
    return select(likely < certain, likely, certain);
  }

  /// The error of the sum from rounding all products' factors to `unit`. A product is off by less
  /// than (1 + 2 unit)^2 - 1 of its size. Towards 0 each factor is off by unit in the mean, so that
  /// the sum loses 2 unit of itself; around that, as around 0 to nearest, both have a variance of
  /// unit^2/3 for numbers drawn at random.
  V from_factors(double unit) const {
    const V certain = V(4 * unit * (1 + unit)) * magnitude_;
    if (!summands_.is_asked()) return certain;
    const V likely = V(2 * unit) * abs(total_.v) +
                     summands_.spread_of_squares(unit * unit * 2 / 3) +
                     V(4 * unit) * total_.total();
    return select(is_random() & (likely < certain), likely, certain);
  }

  /// The loss of a sum whose numbers are added 32 at a time to the sum so far, each cut off below
  /// SumSettings::cut_off of the largest of the 33. None of them is beyond the sum of all sizes,
  /// and the new sum is cut off too: there are two losses more for each group, and a group may be
  /// begun.
  V from_cuts(double numbers, const SumSettings& of) const {
    const double together = of.promoted > 0 && of.promoted < numbers ? of.promoted : numbers;
    const V certain = V((together + 2 * std::ceil(together / 32)) * of.cut_off) * magnitude_;
    if (!summands_.is_asked()) return certain;
    const V likely =
        summands_.loss_of_cuts(total_.v, magnitude_, of) + V(of.cut_off) * total_.total();
    return select(likely < certain, likely, certain);
  }

  /// A partial sum is at most the sum of all sizes, times `most`. The finite summands count beside
  /// an infinity too: if they overflow with the other sign, the sum is NaN. A sum that is surely
  /// too large is an infinity in any order where no partial sum may be one of the other sign.
  void note_range(Scalar& r, const V& most) const {
    const MaskOf<V> beyond = !(most * finite_ <= V(F::largest));
    if (!any(beyond)) [[likely]]
      return;
    const MaskOf<V> known = beyond & is_finite(r.v) & MaskOf<V>(!(r.vacuous | r.overflow));
    r.overflow = r.overflow | beyond;
    if constexpr (F::value_is_exact) {
      const V of_other_sign = (finite_ * (1 + 2 * kBookkeeping) - abs(r.v)) / 2;
      become_infinite(r, known & (most * of_other_sign <= V(F::largest)) &
                             (abs(r.v) - r.total() > V(F::largest * (1 + 2 * F::u))));
    }
  }

  template <class, class>
  friend class ErrorSum;

  [[gnu::always_inline]] void take(const Scalar& v) {
    total_.v += v.v;
    total_.e += v.e;
    for_each_symbol([&](auto k) { total_.c[k] += v.c[k]; });
    total_.vacuous = total_.vacuous | v.vacuous;
    total_.overflow = total_.overflow | v.overflow;
  }

  Scalar total_;
  V magnitude_ = 0;
  V finite_ = 0;  ///< sum of reach() over the finite summands
  SummandStatistics<F, V> summands_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
