// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "core/graph/options.h"
#include "oracles/graph/field.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True where a number is finite as far as the arithmetic knows.
template <class T>
MaskOf<T> is_known_finite(const T& x) {
  if constexpr (requires { x.vacuous; })
    return is_finite(x.v);
  else if constexpr (requires { x.hi; })
    return is_finite(x.hi);
  else if constexpr (requires { x.v.hi; })
    return is_finite(x.v.hi);
  else
    return abs(x) < std::numeric_limits<double>::infinity();
}

/// Rows of nothing but -Inf in a step whose text says what is made of them (EmptyRows).
template <class A>
class EmptyGroups {
 public:
  using T = typename A::Scalar;

  explicit EmptyGroups(const StepContext<A>& context)
      : rule_(empty_rows(*context.s.step)), is_given_(context.in[0]->is_given) {}

  bool are_settled() const { return rule_ != EmptyRows::as_written; }

  /// True where all numbers of a group, number(0) ... number(count - 1), are -Inf in every
  /// computation.
  template <class Numbers>
  MaskOf<T> is_empty(const Numbers& number, std::int64_t count) const {
    MaskOf<T> empty = true;
    for (std::int64_t k = 0; k < count && any(empty); ++k) empty = empty & is_lowest(number(k));
    return empty;
  }

  /// The number where its group is empty: a value, and a gradient, as the text says it.
  T settled(const MaskOf<T>& empty, const T& number) const {
    if (!any(empty)) [[likely]]
      return number;
    return select(empty, rule_ == EmptyRows::zero ? T(0) : open_class(number), number);
  }

  /// Settles to(k) of a group's numbers.
  template <class Numbers, class To>
  void settle(const Numbers& number, const To& to, std::int64_t count) const {
    const MaskOf<T> empty = is_empty(number, count);
    if (any(empty)) [[unlikely]]
      for (std::int64_t k = 0; k < count; ++k) to(k) = settled(empty, to(k));
  }

 private:
  /// Double-double knows no infinity but those among the inputs.
  MaskOf<T> is_lowest(const T& x) const {
    if constexpr (requires { x.vacuous; }) {
      return MaskOf<T>(is_inf(x.v) & (x.v < 0)) & MaskOf<T>(!(x.vacuous | x.overflow));
    } else {
      MaskOf<T> lowest = MaskOf<T>(!is_known_finite(x)) & MaskOf<T>(x < T(0));
      if constexpr (requires { x.radius; }) lowest = lowest & MaskOf<T>(is_given_);
      return lowest;
    }
  }

  EmptyRows rule_;
  bool is_given_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
