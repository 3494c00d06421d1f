// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>

#include "oracles/functions/function_paths.h"
#include "oracles/functions/function_target.h"
#include "oracles/functions/traced.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class T>
using Arrays = std::vector<std::vector<T>>;

/// True if a functor has a backward formula of its own.
template <class F>
concept HasGradient = requires(const F& f, const Arrays<Traced<Digits400>>& in,
                               const std::vector<Traced<Digits400>>& dy) {
  { f.gradient(in, dy) } -> std::convertible_to<Arrays<Traced<Digits400>>>;
};

/// The outputs of value(), and its comparisons.
template <class V>
struct Outputs {
  std::vector<Traced<V>> y;
  BranchTrace trace;

  const V& operator[](std::size_t i) const { return y[i].value(); }
  /// The name of the operation without a finite value; nullptr if all have one.
  const char* outside() const {
    if (trace.outside != nullptr) return trace.outside;
    return std::ranges::all_of(y, [](const auto& o) { return has_value(o.value()); }) ? nullptr
                                                                                      : "the value";
  }
};

/// A user's functor in numbers V, at inputs that can be moved. Functor and facts must outlive it.
template <class F, class V>
class FunctionIn {
 public:
  using T = Traced<V>;

  FunctionIn(const F& function, const FunctionFacts& facts) : function_(function), facts_(facts) {
    for (const FunctionInput& input : facts.inputs)
      in_.emplace_back(input.numbers.begin(), input.numbers.end());
  }

  void move(std::size_t tensor, std::size_t place, const V& by) {
    T& number = in_[tensor][place];
    number = T(V(number.value() + by));
  }

  /// The outputs; their comparisons have the given outcomes, or their own. Throws UsageError if the
  /// number of outputs changes.
  Outputs<V> value(const std::vector<char>* outcomes = nullptr) const {
    Outputs<V> result;
    result.trace.replayed = outcomes;
    result.y = result.trace.record([&] { return function_.value(in_); });
    facts_.check_outputs(result.y.size());
    return result;
  }
  /// value() with one number moved.
  Outputs<V> value_at(std::size_t tensor, std::size_t place, const V& by,
                      const std::vector<char>* outcomes = nullptr) {
    const T before = in_[tensor][place];
    move(tensor, place, by);
    Outputs<V> result = value(outcomes);
    in_[tensor][place] = before;
    return result;
  }

  /// The functor's own gradient, by input.
  std::vector<Values<Digits400>> gradient() const {
    const std::vector<T> dy(facts_.dy.begin(), facts_.dy.end());
    std::vector<Values<Digits400>> result;
    for (const std::vector<T>& numbers : function_.gradient(in_, dy))
      result.push_back(numbers_of(numbers));
    return result;
  }

  static Values<Digits400> numbers_of(const std::vector<T>& numbers) {
    Values<Digits400> result;
    for (const T& number : numbers) result.push_back(in_digits400(number.value()));
    return result;
  }
  static Values<Real> in_real(const std::vector<T>& numbers) {
    Values<Real> result;
    for (const T& number : numbers) result.push_back(real_of(number.value()));
    return result;
  }

 private:
  const F& function_;
  const FunctionFacts& facts_;
  Arrays<T> in_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
