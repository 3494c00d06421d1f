// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/bounds/beyond_range.h"
#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True where the number may be anything; one too far below 0 for its type is known: -Inf.
template <class T>
MaskOf<T> is_open(const T& x) {
  if constexpr (requires { x.vacuous; })
    return x.vacuous | (x.overflow & MaskOf<T>(!(is_surely_infinite(x) & (x.v < 0))));
  else
    return false;
}

/// The exponent without `overflow` if it may have left the range below 0 only, to -Inf: its
/// exponential is 0 in any computation, but no more than near 0 in truth, as for any number so low,
/// so that it is given as one. Where `open`, another class is possible.
template <class T>
T low_or_open(T exponent, const MaskOf<T>& open) {
  if constexpr (requires { exponent.vacuous; }) {
    const MaskOf<T> low =
        (exponent.v + exponent.total() < 0) | (is_inf(exponent.v) & (exponent.v < 0));
    const MaskOf<T> to_infinity = exponent.overflow & low & is_inf(exponent.v) & MaskOf<T>(!open);
    const EstimateOf<T> lowest(std::numeric_limits<double>::lowest());
    exponent.v = select(to_infinity, lowest, exponent.v);
    exponent.overflow = exponent.overflow & (open | MaskOf<T>(!low));
  }
  return exponent;
}

/// True where a given number, as in a mask, is -Inf. Double-double has no infinities and calls the
/// number undecided, but its exponential is known: 0.
template <class T>
MaskOf<T> is_masked(const T& x, bool is_given) {
  if constexpr (requires { x.radius; })
    return MaskOf<T>(is_inf(x.hi) & (x.hi < 0)) & MaskOf<T>(is_given);
  else
    return false;
}
/// The exponential `power` of x less another number; 0 where x is masked.
template <class T>
T power_of(const T& power, const T& x, bool is_given) {
  if constexpr (requires { x.radius; }) return select(is_masked(x, is_given), T(0), power);
  return power;
}
/// The number x in a search for the largest one; the lowest double where x is masked.
template <class T>
T unmasked(const T& x, bool is_given) {
  if constexpr (requires { x.radius; })
    return select(is_masked(x, is_given), T(std::numeric_limits<double>::lowest()), x);
  return x;
}

/// exp(x - m) of the numbers of a group and their sum, by the forms of FormPart::maximum. Every m
/// cancels in the exact result.
template <class A>
class Exponentials {
 public:
  /// The places of these forms in the row of FormPart::maximum.
  static constexpr int kOnline = 1;
  static constexpr int kUnsubtracted = 2;
  static constexpr int kBase2 = 3;
  using T = typename A::Scalar;
  using Powers = std::vector<T>;

  /// `store` rounds each operator's result as the contract stores it.
  template <class Numbers, class Store>
  Exponentials(const StepContext<A>& context, const Numbers& number, const T& m, const Store& store)
      : context_(context), length_(context.s.groups.length) {
    powers_.reserve(static_cast<std::size_t>(length_));
    if constexpr (A::kErrors) of_arguments_.reserve(static_cast<std::size_t>(length_));
    for (std::int64_t k = 0; k < length_; ++k) {
      const T argument = low_or_open(store(T(number(k) - m)), is_open(number(k)));
      const T power = store(context.a.functions.exp(argument));
      powers_.push_back(power_of(power, T(number(k)), context.in[0]->is_given));
      if constexpr (A::kErrors) of_arguments_.push_back(context.a.of_argument(argument));
    }
    if constexpr (A::kErrors)
      if (has(kBase2, base2_))
        for (std::int64_t k = 0; k < length_; ++k)
          base2_.push_back(by_base2(context.a, powers_[static_cast<std::size_t>(k)], number(k), m));
    if constexpr (A::kErrors)
      if (has(kUnsubtracted, unsubtracted_))
        for (std::int64_t k = 0; k < length_; ++k)
          unsubtracted_.push_back(store(context.a.functions.exp(number(k))));
  }

  const Powers& powers() const { return powers_; }
  T sum() const { return sum_of(powers_).sum(chain()); }

  /// With a running maximum a number's power is multiplied by exp(m_i - m_j) where the maximum
  /// rises (Milakov, Gimelshein 2018, arXiv:1805.02867). The differences of the maxima that it
  /// meets have one sign and add up to m - m_k, so all their roundings together are at most that of
  /// x - m; the same holds for the error that an exponential has by its argument. Each rise costs
  /// an exponential and a product; there are at most as many as additions.
  T online_sum() const {
    typename A::Sum sum = context_.a.new_sum();
    if constexpr (A::kErrors) {
      const A& a = context_.a;
      const EstimateOf<T> rises = likely_rises();
      const EstimateOf<T> each = lanewise(rises, [&](double n) {
        return std::expm1(n * std::log1p((a.exp_units() + 1) * A::unit()));
      });
      for (std::size_t k = 0; k < powers_.size(); ++k) {
        T p = powers_[k];
        p.e += (each + of_arguments_[k]) * p.reach() + rises * (a.exp_underflow() + A::underflow());
        sum.add(p);
      }
    }
    return sum.sum(chain());
  }

  /// exp(x - m) as exp2(x L - m L), L = log2 e within 0.224u, as FlashAttention has it: each
  /// product is rounded at the size of x and of m, not of their difference, or that of m alone by
  /// fma. If that is half of the exponential or more, no digits are left, and the form adds no
  /// error.
  static T by_base2(const A& a, T power, const T& x, const T& m) requires(A::kErrors) {
    using V = EstimateOf<T>;
    const V apart = abs(x.v - m.v);
    const V off = (x.reach() + m.reach() + V(1.23) * apart) * V(a.unit());
    power.e += select(off < V(0.25), V(2 * off * power.reach()), V(0));
    return power;
  }
  const Powers& base2() const { return base2_; }
  T base2_sum() const { return sum_of(base2_).sum(chain()); }

  const Powers& unsubtracted() const { return unsubtracted_; }
  T unsubtracted_sum() const { return sum_of(unsubtracted_).sum(chain()); }

 private:
  /// True if the form is permitted; then room is made for its powers.
  bool has(int form, Powers& powers) const {
    const bool permitted = context_.forms(FormPart::maximum).has(form);
    if (permitted) powers.reserve(static_cast<std::size_t>(length_));
    return permitted;
  }
  std::int64_t chain() const { return context_.chain_of(SumRole::value, length_); }
  typename A::Sum sum_of(const Powers& powers) const {
    typename A::Sum sum = context_.a.new_sum();
    for (const T& p : powers) sum.add(p);
    return sum;
  }
  /// The number of rises of a running maximum that the whole sum goes through. Of n numbers in
  /// random order the k-th is the largest so far with probability 1/k, independently of the others
  /// (Renyi 1962), and multiplies the k/n of the sum so far: one whole sum on average, and more
  /// than 11.4 with a probability below 1e-12 (docs/likely.md). Merged in a tree, half of the sum
  /// is multiplied at each of its log2 n levels.
  EstimateOf<T> likely_rises() const requires(A::kErrors) {
    using V = EstimateOf<T>;
    const auto most = static_cast<double>(chain());
    const double deviations = context_.a.deviations();
    if (deviations == 0) return V(most);
    const double of_tree = std::log2(static_cast<double>(length_)) / 2 + 2;
    const double rises = of_tree > 11.4 ? of_tree : 11.4;
    // The errors of a typical program's exponentials add up in squares.
    const double likely = deviations > 1 ? rises : std::sqrt(rises);
    return select(sum_of(powers_).is_random(), V(likely < most ? likely : most), V(most));
  }

  const StepContext<A>& context_;
  std::int64_t length_;
  Powers powers_;
  Powers unsubtracted_;
  Powers base2_;
  FieldNumbers<EstimateOf<T>> of_arguments_;  ///< relative errors
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
