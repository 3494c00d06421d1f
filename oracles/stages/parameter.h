// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stage.h"

namespace gradproof {

/// A stage's parameter or buffer in one unit; an absent one is false.
template <class A>
class Parameter {
 public:
  using T = typename A::Scalar;

  /// The step's parameter in this slot.
  Parameter(const Step& step, std::size_t slot, const Setting<A>& setting)
      : arithmetic_(setting.arithmetic) {
    if (slot >= step.parameters.size() || step.parameters[slot].empty()) return;
    name_ = step.parameters[slot];
    const auto found = setting.unit.numbers.find(name_);
    numbers_ = found == setting.unit.numbers.end() ? nullptr : &found->second;
    shared_ = setting.unit.shared.contains(name_);
    channels_ = setting.unit.channels;
  }

  explicit operator bool() const { return numbers_ != nullptr; }
  /// The number that element i of the unit meets.
  const T& operator[](std::size_t i) const { return (*numbers_)[numbers_->size() == 1 ? 0 : i]; }

  /// Gradient from the elements' terms.
  Values<T> gradient(const Values<T>& terms) const {
    if (channels_) return terms;
    return {shared_ ? arithmetic_.sum_in_unit(terms) : arithmetic_.sum(terms, kGradients)};
  }

  /// Gradient from terms a[i] b[i].
  Values<T> gradient(const Values<T>& a, const Values<T>& b) const {
    if (!channels_ && !shared_) return {arithmetic_.dot(a, b, kGradients)};
    Values<T> products;
    products.reserve(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) products.push_back(a[i] * b[i]);
    return gradient(products);
  }

  const std::string& name() const { return name_; }

 private:
  const A& arithmetic_;
  std::string name_;
  const Values<T>* numbers_ = nullptr;
  bool shared_ = false;
  bool channels_ = false;
};

}  // namespace gradproof
