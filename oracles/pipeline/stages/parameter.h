// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// A stage's parameter or buffer in one unit; an absent one is false.
template <class A>
class Parameter {
 public:
  using T = typename A::Scalar;

  /// The number that element i of the unit meets.
  struct Numbers {
    const T* first;
    std::size_t step;  ///< 0: one for all
    const T& operator[](std::size_t i) const { return first[i * step]; }
  };

  /// The line's parameter in this place.
  Parameter(const CompiledStep& line, std::size_t place, const Setting<A>& setting)
      : arithmetic_(setting.arithmetic), unit_(setting.unit), slot_(line.numbers[place]) {
    if (slot_ == CompiledStep::kAbsent) return;
    shared_ = setting.compiled.numbers[number()].shared;
    channels_ = setting.compiled.channels;
  }

  explicit operator bool() const { return slot_ != CompiledStep::kAbsent; }
  /// The parameter's position in CompiledPipeline::numbers.
  std::size_t number() const { return static_cast<std::size_t>(slot_); }

  Numbers numbers() const {
    const Values<T>& all = unit_.numbers[number()];
    return {all.data(), channels_ && !shared_ ? std::size_t{1} : 0};
  }
  /// The parameter's number, where it is the same for all elements.
  const T& one() const { return unit_.numbers[number()].front(); }

  /// Sets the gradient from the terms of the elements.
  void gradient(Gradient<T>& into, const Values<T>& terms) const {
    into.number = number();
    if (channels_)
      into.terms = terms;
    else
      into.terms.assign(
          1, shared_ ? arithmetic_.sum_in_unit(terms) : arithmetic_.sum(terms, kGradients));
  }

  /// Sets the gradient from a sum that was already taken over the column.
  void gradient(Gradient<T>& into, const T& own) const {
    into.number = number();
    into.terms.assign(1, shared_ ? arithmetic_.folded(own) : own);
  }

  /// Sets the gradient from the terms a[i] b[i].
  void gradient(Gradient<T>& into, const Values<T>& a, const Values<T>& b) {
    into.number = number();
    if (!channels_ && !shared_) {
      into.terms.assign(1, arithmetic_.dot(a, b, kGradients));
      return;
    }
    Values<T>& products = as_long_as(channels_ ? into.terms : products_, a);
    for (std::size_t i = 0; i < a.size(); ++i) products[i] = a[i] * b[i];
    if (!channels_) gradient(into, products);
  }

 private:
  const A& arithmetic_;
  const Unit<T>& unit_;
  int slot_;
  bool shared_ = false;
  bool channels_ = false;
  Values<T> products_;
};

}  // namespace gradproof
