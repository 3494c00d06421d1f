// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Calls exchange(i, j), i < j, for each comparison of Batcher's merge exchange of n numbers
/// (Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M): whatever the numbers
/// are, they are in order behind the last one.
template <class Exchange>
void each_exchange(std::int64_t n, const Exchange& exchange) {
  std::int64_t top = 1;
  while (top * 2 < n) top *= 2;
  for (std::int64_t p = n > 1 ? top : 0; p > 0; p /= 2) {
    std::int64_t r = 0;
    std::int64_t d = p;
    for (std::int64_t q = top;; q /= 2) {
      for (std::int64_t i = 0; i + d < n; ++i)
        if ((i & p) == r) exchange(i, i + d);
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
}

/// Numbers along an axis in order, the largest first or last. Every exchange takes the larger and
/// the smaller of two numbers, so that a sorted number is off by no more than the numbers that may
/// stand at its place. Backward each exchange hands both cotangents back to the two numbers; at a
/// tie, or where errors decide which one is larger, either gets any number between them.
template <class A>
class SortStage {
 public:
  using T = typename A::Scalar;

  explicit SortStage(const StepContext<A>& context) : context_(context) {}

  Field<T> value() const {
    Field<T> out;
    out.v.resize(context_.size(), T(0));
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      std::vector<T> numbers = numbers_of(group);
      each_exchange(length(), [&](std::int64_t i, std::int64_t j) {
        exchange(numbers[place(i)], numbers[place(j)]);
      });
      for (std::int64_t k = 0; k < length(); ++k)
        out.v[place(group[place_of(k)])] = known(numbers[place(k)]);
    });
    out.owner = owner_of(context_);
    return out;
  }

  void adjoint(const Field<T>& dy, Terms<T>& terms) const {
    terms[0].v.resize(context_.size(), T(0));
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      std::vector<T> numbers = numbers_of(group);
      std::vector<Exchanged> all;
      each_exchange(length(), [&](std::int64_t i, std::int64_t j) {
        T& a = numbers[place(i)];
        T& b = numbers[place(j)];
        all.push_back({i, j, apart(a, b)});
        exchange(a, b);
      });
      std::vector<T> back;
      for (std::int64_t k = 0; k < length(); ++k) back.push_back(dy.v[place(group[place_of(k)])]);
      for (auto one = all.rbegin(); one != all.rend(); ++one) {
        T& larger = back[place(one->first)];
        T& smaller = back[place(one->second)];
        const T first = taken(one->apart, larger, smaller);
        smaller = taken(T(-one->apart), larger, smaller);
        larger = first;
      }
      limit(group, dy, back);
      for (std::int64_t k = 0; k < length(); ++k) terms[0].v[place(group[k])] = back[place(k)];
    });
  }

 private:
  struct Exchanged {
    std::int64_t first = 0, second = 0;
    T apart;  ///< the first number less the second
  };

  std::int64_t length() const { return context_.s.groups.length; }
  /// The place along the axis of the k-th largest number.
  std::int64_t place_of(std::int64_t k) const {
    return context_.s.step->word("order") == "ascending" ? length() - 1 - k : k;
  }

  std::vector<T> numbers_of(const std::int32_t* group) const {
    std::vector<T> numbers;
    numbers.reserve(place(length()));
    for (std::int64_t k = 0; k < length(); ++k) numbers.push_back(context_.at(0, group[k]));
    return numbers;
  }

  void exchange(T& a, T& b) const {
    const auto& f = context_.a.functions;
    const T larger = f.max(a, b);
    b = f.min(a, b);
    a = larger;
  }

  /// The first number less the second. An infinity is apart from every other number by its sign.
  static T apart(const T& a, const T& b) {
    T difference = a - b;
    if constexpr (A::kErrors) {
      using V = EstimateOf<T>;
      const MaskOf<T> known = is_inf(difference.v) & (is_inf(a.v) | is_inf(b.v)) &
                              !(a.overflow | b.overflow | a.vacuous | b.vacuous);
      difference = select(known, T(select(difference.v > V(0), V(1), V(-1))), difference);
    }
    return difference;
  }

  /// A NaN stands anywhere, and reaches every number that it is compared with.
  static T known(T number) {
    if constexpr (A::kErrors) open_class_where(MaskOf<T>(is_nan(number.v)), number);
    return number;
  }

  /// Limits the errors to the distance of any two cotangents: truth and result lie between these.
  void limit([[maybe_unused]] const std::int32_t* group, [[maybe_unused]] const Field<T>& dy,
             [[maybe_unused]] std::vector<T>& back) const {
    if constexpr (A::kErrors) {
      using V = EstimateOf<T>;
      V most(0);
      V least(0);
      for (std::int64_t k = 0; k < length(); ++k) {
        const T& g = dy.v[place(group[k])];
        const V above(g.v + g.total());
        const V below(g.v - g.total());
        most = k == 0 ? above : select(above > most, above, most);
        least = k == 0 ? below : select(below < least, below, least);
      }
      const V distance = most - least;
      for (T& number : back) number.e = select(number.e > distance, distance, number.e);
    }
  }

  /// The cotangent of one of two numbers, which is the larger by `apart`. Where errors decide that,
  /// the estimate may be the other one than the truth, and code may have either: the error is the
  /// whole distance.
  T taken(const T& apart, const T& larger, const T& smaller) const {
    const auto& f = context_.a.functions;
    const T first = f.where_positive(apart, larger, smaller);
    const T second = f.where_positive(T(-apart), smaller, larger);
    T share = f.where_positive(apart, first,
                               f.where_positive(T(-apart), second, f.between(first, second)));
    if constexpr (A::kErrors)
      share =
          select(is_finite(larger.v) & is_finite(smaller.v) & is_finite(apart.v) & !apart.overflow,
                 share, open_class(larger));
    return share;
  }

  const StepContext<A>& context_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
