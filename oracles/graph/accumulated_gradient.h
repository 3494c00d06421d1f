// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <utility>

#include "oracles/bounds/error_scalar.h"
#include "oracles/graph/field.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The sum of two numbers; an error arithmetic counts its rounding in after_additions(). If the sum
/// leaves the range, `overflow` is set: another order of additions may not leave it.
template <class T>
T added(const T& a, const T& b) {
  return a + b;
}
template <class F, class V>
ErrorScalar<F, V> added(const ErrorScalar<F, V>& a, const ErrorScalar<F, V>& b) {
  auto r = ErrorScalar<F, V>::linear(V(1), a.read(), V(1), b.read());
  r.v = a.v + b.v;
  const MaskOf<V> beyond = !(r.reach() <= V(F::largest));
  if (any(beyond)) [[unlikely]]
    r.overflow = r.overflow | (beyond & ErrorScalar<F, V>::finite(a, b)());
  return r;
}

/// The number's part of `sizes` in after_additions(); 0 if it is not finite.
template <class F, class V>
V size_in_sum(const ErrorScalar<F, V>& term) {
  return select(is_finite(term.v), term.reach(), V(0));
}

/// The sum of `terms` terms, at least two, with the roundings of its additions in any order and any
/// association. `sizes` is the sum of the terms' sizes; for two terms it is not used. The last
/// addition rounds the whole sum. Before it each term goes through at most terms - 2 additions,
/// whose results are also stored.
template <class T, class V>
T after_additions(T sum, const StoredType&, const V&, int) {
  return sum;
}
template <class F, class V>
ErrorScalar<F, V> after_additions(ErrorScalar<F, V> sum, const StoredType& stored, const V& sizes,
                                  int terms) {
  const int before = terms - 2;
  if (before > 0) {
    const double unit = F::u + stored.unit + F::u * stored.unit;
    const double growth = std::expm1(before * std::log1p(unit));
    const double largest = stored.unit != 0 ? stored.largest : F::largest;
    sum.e += growth * sizes + before * (2 * F::eta_of_sums + stored.underflow);
    sum.overflow = sum.overflow | !((1 + growth + kBookkeeping) * sizes <= V(largest));
  }
  sum.e += F::u * (abs(sum.v) + sum.total()) + F::eta_of_sums;
  return sum;
}

/// The cotangent of a value, or the gradient of a tensor: the sum of the terms that the steps
/// taking it give. Their order of addition is free (docs/bounds.md, A sum of cotangents), so their
/// roundings are counted after the last term.
template <class A>
class AccumulatedGradient {
 public:
  using T = typename A::Scalar;
  using V = EstimateOf<T>;

  /// If `is_made`, a step made the value, so that other operators take the sum as it is stored.
  explicit AccumulatedGradient(bool is_made) : is_made_(is_made) {}

  /// Counts one more term that some step may give.
  void expect() { ++most_; }
  /// Takes the gradient that exists before any step goes back.
  void start(Field<T> first) {
    if (first.empty()) return;
    sum_ = std::move(first);
    terms_ = 1;
    expect();
  }
  /// Says that the gradient given to start() is a sum of so many terms already.
  void start_from(FieldNumbers<V> sizes, int terms) {
    sizes_ = std::move(sizes);
    most_ += terms - terms_;
    terms_ = terms;
  }

  /// Each use's gradient was stored by its own operator; the last result is stored by the operator
  /// that takes it.
  void add(const A& a, Field<T> more) {
    const bool is_first = terms_ == 0;
    most_ += more.summands - 1;
    terms_ += more.summands;
    if (is_first) {
      sum_ = std::move(more);
      if (is_made_ && a.stores_values() && !sum_.is_stored)
        for (T& v : sum_.v) v = a.stored(v);
      return;
    }
    if (sum_.owner != more.owner) {
      fold<A>(sum_);
      fold<A>(more);
    }
    if (!is_open_ && !is_made_ && a.stores_values() && !sum_.is_stored)
      for (T& v : sum_.v) v = a.stored(v);
    start_sizes();
    for (std::size_t i = 0; i < sum_.v.size(); ++i) {
      const T term = more.is_stored ? more.v[i] : a.stored(more.v[i]);
      if constexpr (A::kErrors)
        if (!sizes_.empty()) sizes_[i] += more.sizes.empty() ? size_in_sum(term) : more.sizes[i];
      sum_.v[i] = added(sum_.v[i], term);
    }
    is_open_ = true;
    if (terms_ >= most_) finish(a);
  }
  /// Counts the roundings of the additions, once all terms have come.
  void finish(const A& a) {
    if (!is_open_) return;
    is_open_ = false;
    if constexpr (A::kErrors)
      for (std::size_t i = 0; i < sum_.v.size(); ++i) {
        const V sizes = sizes_.empty() ? V(0) : sizes_[i];
        T& v = sum_.v[i];
        v = after_additions(v, a.functions.storage(), sizes, terms_);
        if (is_made_) v = a.stored(v);
      }
  }

  /// Moves out the sum: whoever takes it gets one number, whatever it was added up from.
  Field<T> taken(const A& a) {
    finish(a);
    sum_.summands = 1;
    sum_.sizes.clear();
    return std::move(sum_);
  }
  bool empty() const { return sum_.empty(); }
  Field<T>& sum() { return sum_; }
  const Field<T>& sum() const { return sum_; }
  int terms() const { return terms_; }
  /// The sum of the terms' sizes by element; empty if no bound needs it.
  const FieldNumbers<V>& sizes() const { return sizes_.empty() ? sum_.sizes : sizes_; }

 private:
  /// Two terms alone need no sizes.
  void start_sizes() {
    if constexpr (A::kErrors)
      if (!is_open_ && most_ > 2 && sizes_.empty()) {
        sizes_ = std::move(sum_.sizes);
        if (sizes_.empty())
          sizes_ = numbers_by<V>(std::ssize(sum_.v), [&](std::int64_t i) {
            return size_in_sum(sum_.v[static_cast<std::size_t>(i)]);
          });
      }
  }

  bool is_made_;
  Field<T> sum_;
  FieldNumbers<V> sizes_;
  int terms_ = 0;
  int most_ = 0;          ///< terms that may come
  bool is_open_ = false;  ///< the additions are not counted yet
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
