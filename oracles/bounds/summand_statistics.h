// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/arithmetic/lanes.h"
#include "oracles/bounds/number_type.h"
#include "oracles/bounds/summand_fields.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Tests if the numbers of a sum look drawn at random in the order in which they come, so that the
/// rounding errors of their partial sums add up in squares in every order. docs/likely.md derives
/// the tests and the growth. The numbers that a test refuses have the certain bound.
template <class F, class V = double>
class SummandStatistics {
 public:
  SummandStatistics() = default;
  explicit SummandStatistics(const LikelySetting& setting) : setting_(setting) {}

  bool is_asked() const { return setting_.lambda > 0; }
  double lambda() const { return setting_.lambda; }

  /// Takes the next number x. `partial` is the sum so far, with x; `sizes` is the sum of all sizes.
  [[gnu::always_inline]] void add(const V& x, const V& partial, const V& sizes) {
    const V size = abs(x);
    if (count_ == 0) [[unlikely]] {
      previous_ = mark_ = x;
      half_ = V(0);
    } else {
      const MaskOf<V> same = abs(x - mark_) <= V(4 * F::u) * size;
      repeats_ += select(same & (size > V(0)), V(1), V(0));
    }
    const V rounding = V(setting_.scale * F::u) * abs(partial);
    stagnant_ += select(size < rounding, size, V(0));
    // Typically as many are rounded up to the last place as are lost below half of it.
    if (setting_.orders == 1)
      stagnant_ += select((size < 2 * rounding) & (size >= rounding), V(size - 2 * rounding), V(0));
    squares_ += x * x;
    const V step = x - previous_;
    steps_ += step * step;
    previous_ = x;
    if (++count_ == next_) [[unlikely]]
      compare_halves(x, sizes);
  }

  /// Takes the numbers of another sum, whose sizes add up to `other_sizes`.
  void add(const SummandStatistics& other, const V& sizes, const V& other_sizes) {
    if (other.count_ == 0) return;
    if (count_ == 0) {
      *this = other;
      return;
    }
    if (count_ >= kFirstHalf && other.count_ >= kFirstHalf)
      refuse(is_uneven(sizes / V(count_), other_sizes / V(other.count_)));
    count_ += other.count_;
    parts_ += other.parts_;
    squares_ += other.squares_;
    steps_ += other.steps_;
    repeats_ += other.repeats_;
    stagnant_ += other.stagnant_;
    if (count_ >= next_) compare_parts(sizes + other_sizes);
  }

  /// The statistics of all lanes' numbers together, in every lane. Lanes of a few numbers each have
  /// sizes that differ by chance.
  SummandStatistics joined(const V& sizes) const {
    SummandStatistics r = *this;
    if constexpr (kLanesOf<V> == 1) return r;
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (int i = 0; i < kLanesOf<V>; ++i) {
      least = lane(sizes, i) < least ? lane(sizes, i) : least;
      most = lane(sizes, i) > most ? lane(sizes, i) : most;
    }
    r.count_ *= kLanesOf<V>;
    r.parts_ *= kLanesOf<V>;
    r.squares_ = sum_of_lanes(squares_);
    r.steps_ = sum_of_lanes(steps_);
    r.repeats_ = sum_of_lanes(repeats_);
    r.stagnant_ = sum_of_lanes(stagnant_);
    r.half_first_ = false;  // what this has is of one lane
    if (count_ >= kFirstHalf) r.refuse(is_uneven(V(least), V(most)));
    return r;
  }

  /// True where the numbers look drawn at random; `sum` is their sum, `sizes` that of their sizes.
  MaskOf<V> is_random(const V& sum, const V& sizes, bool may_repeat = false) const {
    const double n = count_;
    if (n < kFewest || n * F::u > kMostGrowth || parts_ > setting_.scale) return false;
    const V spread = around_mean(sum);
    const V neighbours = steps_ * V((n - 1) / (2 * (n - parts_)));
    const V largest = (sizes + abs(sum)) / 2;
    return MaskOf<V>(neighbours >= V(1 - kNeighbours) * spread) &
           MaskOf<V>(neighbours <= V(1 + kNeighbours) * spread) &
           MaskOf<V>(may_repeat | MaskOf<V>(repeats_ <= V(2 + n / 2048))) &
           MaskOf<V>(spread >= V(n * 64 * F::u * F::u) * largest * largest) &
           MaskOf<V>(sizes * sizes >= V(n / 20) * squares_) & MaskOf<V>(stagnant_ < V(kRefused));
  }

  /// The likely largest sum of the additions' rounding errors; infinite where the numbers do not
  /// look drawn at random.
  V growth(const V& sum, const V& sizes) const {
    const V likely = V(setting_.lambda * F::u) * sqrt(V(energy(sum, sizes) / 3)) +
                     setting_.orders * abs(stagnant_);
    return select(is_random(sum, sizes), likely, V(kRefused));
  }

  /// The likely loss of ErrorSum::from_cuts(); infinite where the numbers do not look drawn at
  /// random. docs/contracts.md derives it: the squares of the units, which are those of partial
  /// sums and of the largest product of each group, then what is lost in one direction. Each number
  /// counts as if all of its unit were lost, so that numbers may repeat.
  V loss_of_cuts(const V& sum, const V& sizes, const SumSettings& of) const {
    const double n = count_;
    const double b = of.promoted;
    V partial = energy(sum, sizes);
    if (b > 0 && b < n) {
      const V in_parts = V(b * b / (3 * n)) * sum * sum + V(b / 2) * around_mean(sum);
      partial = min(partial, V(setting_.orders * in_parts));
    }
    const V spread = sqrt(V((partial + V(33) * squares_) * V(33.0 / 32)));
    const V one_sided = sqrt(V(V(n) * partial)) * (abs(sum) / sizes + V(1.0 / 16));
    const V likely = V(of.cut_off) * (V(setting_.lambda) * spread + one_sided);
    return select(is_random(sum, sizes, true), likely, V(kRefused));
  }

  /// `lambda` standard deviations of a sum of independent errors, each with a variance of
  /// `variance` times the square of its number.
  V spread_of_squares(double variance) const {
    return V(setting_.lambda) * sqrt(V(V(variance) * squares_));
  }

  SummandStatistics<F> of_lane(int i) const {
    SummandStatistics<F> r(setting_);
    r.count_ = count_;
    r.parts_ = parts_;
    r.squares_ = lane(squares_, i);
    r.steps_ = lane(steps_, i);
    r.repeats_ = lane(repeats_, i);
    r.stagnant_ = lane(stagnant_, i);
    return r;
  }

  void write(SummandFields& to) const {
    to = {setting_, count_, parts_, squares_, steps_, repeats_, stagnant_};
  }
  static SummandStatistics read(const SummandFields& from) {
    SummandStatistics r(from.setting);
    r.count_ = from.count;
    r.parts_ = from.parts;
    r.squares_ = from.squares;
    r.steps_ = from.steps;
    r.repeats_ = from.repeats;
    r.stagnant_ = from.stagnant;
    return r;
  }

 private:
  template <class, class>
  friend class SummandStatistics;

  static constexpr double kFewest = 64;          ///< of fewer numbers a chain is short anyway
  static constexpr double kMostGrowth = 0x1p-7;  ///< of N u: beyond it additions stagnate
  static constexpr double kNeighbours = 0.4;
  static constexpr double kFirstHalf = 16;
  static constexpr double kRefused = std::numeric_limits<double>::infinity();

  /// The sum of the squared distances from the mean.
  V around_mean(const V& sum) const { return max(V(squares_ - sum * sum / V(count_)), V(0)); }

  /// The sum of all squared partial sums that an order is likely to have.
  V energy(const V& sum, const V& sizes) const {
    const double n = count_;
    const V spread = around_mean(sum);
    const V largest = (sizes + abs(sum)) / 2;
    const V mean = V(n / 3) * sum * sum + V(n / 6) * spread;
    return min(V(n * largest * largest), V(setting_.orders * mean));
  }

  static MaskOf<V> is_uneven(const V& a, const V& b) {
    return MaskOf<V>(a > 8 * b) | MaskOf<V>(b > 8 * a);
  }
  void refuse(const MaskOf<V>& where) { stagnant_ = select(where, V(kRefused), stagnant_); }

  /// Numbers that grow or shrink on the way come in an order that matters.
  void compare_halves(const V& x, const V& sizes) {
    if (half_first_) refuse(is_uneven(half_, V(sizes - half_)));
    half_first_ = true;
    half_ = sizes;
    half_count_ = count_;
    mark_ = x;
    next_ *= 2;
  }
  /// Compares, of parts of a few numbers each, the numbers in front of a power of two with those
  /// behind it.
  void compare_parts(const V& sizes) {
    if (half_first_)
      refuse(is_uneven(V(half_ / V(half_count_)), V((sizes - half_) / V(count_ - half_count_))));
    half_first_ = true;
    half_ = sizes;
    half_count_ = count_;
    while (next_ <= count_) next_ *= 2;
  }

  LikelySetting setting_;
  double count_ = 0;
  double parts_ = 1;  ///< sums that were joined to this one
  double next_ = kFirstHalf;
  bool half_first_ = false;
  V squares_ = 0;
  V steps_ = 0;     ///< squares of the differences of neighbours
  V repeats_ = 0;   ///< of a number that was marked before
  V stagnant_ = 0;  ///< what additions to numbers that are too large lose; infinite: refused
  V previous_ = 0;
  V mark_ = 0;
  V half_ = 0;  ///< sum of the sizes of the first half
  double half_count_ = 0;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
