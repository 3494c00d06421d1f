// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <variant>

#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The bound of a recurrence in any order. A number h is the sum over s <= t of x_s times the
/// factors behind s. Code that joins parts of the axis multiplies these factors in any order, one
/// rounding each, and a term goes through as many additions as the sum's order says.
template <class A>
class AnyOrder {
 public:
  using T = typename A::Scalar;
  using V = EstimateOf<T>;

  /// `sequential`, which is factor h + x, with the error that it may have after `step` products and
  /// so many additions.
  T next(const T& factor, const T& x, const T& sequential, std::int64_t step,
         std::int64_t additions) {
    const double unit = A::unit();
    const V size = finite_or_none(factor.reach());
    products_ = size * (products_ + V(unit) * sizes_);
    own_ = size * (own_ + V(unit) * last_);
    sizes_ = size * sizes_ + finite_or_none(x.reach());
    last_ = finite_or_none(abs(sequential.v));
    own_ += V(unit) * last_;
    grown_ = grown_ * max(size, V(1));
    const double chain = static_cast<double>(additions);
    const double roundings = chain + static_cast<double>(step);
    const V in_any_order = (products_ + V(chain * unit) * sizes_) * V(1 + 2 * roundings * unit) +
                           V(roundings * A::underflow()) * grown_ * (1 + sizes_);
    T r = sequential;
    r.e += select(is_finite(r.v), positive_part(V(in_any_order - own_)), V(0));
    // A part's product of factors may leave the range before it meets a small number.
    const MaskOf<T> leaves(!(grown_ * (1 + sizes_) <= V(A::largest())));
    r.overflow = r.overflow | leaves;
    return r;
  }

 private:
  static V finite_or_none(const V& size) { return select(is_finite(size), size, V(0)); }

  V sizes_ = 0;     ///< the recurrence of all numbers' sizes
  V products_ = 0;  ///< the error of the products of factors alone
  V own_ = 0;       ///< the roundings that `sequential` has
  V last_ = 0;      ///< the size of `sequential`
  V grown_ = 1;     ///< a product of factors that lie side by side, at most
};

/// A scan along an axis. cumsum: y_t = sum of x_s, s <= t, and d_x_s = sum of dy_t, t >= s.
/// recur: h_t = a_t h_(t-1) + x_t from h_(-1) = initial or 0. With g_t = dy_t + a_(t+1) g_(t+1),
/// d_x_t = g_t, d_a_t = g_t h_(t-1), and d_initial = a_0 g_0 (Blelloch 1990, "Prefix Sums and Their
/// Applications", has both as one operation).
template <class A>
class ScanStage {
 public:
  using T = typename A::Scalar;

  explicit ScanStage(const StepContext<A>& context) : context_(context), a_(context.a) {}

  Field<T> value() const {
    Field<T> out;
    out.v.resize(context_.size(), T(0));
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      if (is_sum())
        sums(
            group, [](std::int64_t k) { return k; },
            [&](std::int64_t i) -> const T& { return context_.at(0, i); }, out);
      else
        recurrence(group, out);
    });
    out.owner = owner_of(context_);
    return out;
  }

  void adjoint(const Field<T>& y, const Field<T>& dy, Terms<T>& terms) const {
    for (std::size_t k = 0; k < context_.s.operands.size(); ++k)
      terms[k].v.resize(context_.size(), T(0));
    each_group(context_, [&](std::size_t, const std::int32_t* group) {
      if (is_sum())
        sums(
            group, [&](std::int64_t k) { return length() - 1 - k; },
            [&](std::int64_t i) -> const T& { return dy.v[place(i)]; }, terms[0]);
      else
        backwards(group, y, dy, terms);
    });
  }

 private:
  bool is_sum() const { return context_.s.operands.size() == 1; }
  std::int64_t length() const { return context_.s.groups.length; }

  /// Each number is the sum of those before it in the order at(0), at(1), ...
  template <class At, class Numbers>
  void sums(const std::int32_t* group, const At& at, const Numbers& number, Field<T>& out) const {
    typename A::Sum sum = a_.new_sum();
    for (std::int64_t k = 0; k < length(); ++k) {
      const std::int32_t i = group[at(k)];
      sum.add(number(i));
      out.v[place(i)] = sum.sum(context_.chain_of(SumRole::value, k + 1));
    }
  }

  void recurrence(const std::int32_t* group, Field<T>& out) const {
    Any any;
    T last(0);
    if (length() > 0 && context_.has(2)) last = any.begin(*this, context_.at(2, group[0]));
    for (std::int64_t k = 0; k < length(); ++k) {
      const std::int32_t i = group[k];
      const T& factor = context_.at(1, i);
      const T& x = context_.at(0, i);
      const bool begins = k == 0 && !context_.has(2);
      last = begins ? first(factor, x) : T(a_.stored(T(factor * last)) + x);
      out.v[place(i)] = any.next(*this, begins ? T(0) : factor, x, last, k + 1);
      last = a_.stored(last);
    }
  }

  void backwards(const std::int32_t* group, const Field<T>& y, const Field<T>& dy,
                 Terms<T>& terms) const {
    Any any;
    T last(0);  // of the step behind
    for (std::int64_t k = length(); k-- > 0;) {
      const std::int32_t i = group[k];
      const T& own = dy.v[place(i)];
      const T behind = k + 1 < length() ? context_.at(1, group[k + 1]) : T(0);
      last = k + 1 < length() ? T(a_.stored(T(behind * last)) + own) : own;
      const T sum = any.next(*this, behind, own, last, length() - k);
      last = a_.stored(last);
      terms[0].v[place(i)] = sum;
      const T g = a_.stored(sum);  // as the products with it take it
      if (k > 0)
        terms[1].v[place(i)] = g * a_.value_read(y.v[place(group[k - 1])], context_.s.step->value);
      else if (context_.has(2))
        first_terms(i, g, terms);
      else
        terms[1].v[place(i)] = masked_out<A>(g);
    }
  }

  /// The terms of the first factor and of the initial number.
  void first_terms(std::int32_t i, const T& g, Terms<T>& terms) const {
    terms[1].v[place(i)] = g * context_.at(2, i);
    terms[2].v[place(i)] = g * context_.at(1, i);
  }

  /// factor 0 + x: code multiplies with the 0 or leaves it out.
  T first(const T& factor, const T& x) const {
    T r = x;
    if constexpr (A::kErrors) open_class_where(MaskOf<T>(!is_finite(factor.v)), r);
    return r;
  }

  /// AnyOrder for an arithmetic of errors; a truth has one result in every order.
  struct Any {
    T begin(const ScanStage& stage, const T& initial) {
      return next(stage, T(0), initial, initial, 0);
    }
    T next([[maybe_unused]] const ScanStage& stage, const T& factor, const T& x,
           const T& sequential, std::int64_t additions) {
      if constexpr (A::kErrors)
        return order.next(factor, x, sequential, additions,
                          stage.context_.chain_of(SumRole::value, additions));
      else
        return sequential;
    }
    [[no_unique_address]] std::conditional_t<A::kErrors, AnyOrder<A>, std::monostate> order;
  };

  const StepContext<A>& context_;
  const A& a_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
