// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stage.h"

namespace gradproof {

/// y = x + b, b one number for each column or one for all.   dx = dy,  db = sum dy.
template <class A>
class Bias final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Bias(const Step& step, const Setting<A>& setting)
      : arithmetic_(setting.arithmetic),
        name_(step.parameters.at(0)),
        bias_(setting.unit.numbers.at(name_)),
        shared_(setting.unit.shared.contains(name_)) {}

  Values<T> value(const Values<T>& x) override {
    Values<T> y;
    y.reserve(x.size());
    for (const T& v : x) y.push_back(v + bias_);
    return y;
  }

  Adjoint<T> adjoint(const Values<T>& dy) const override {
    const T sum = shared_ ? arithmetic_.sum_in_unit(dy) : arithmetic_.sum(dy, kGradients);
    return {dy, {{name_, sum}}};
  }

 private:
  const A& arithmetic_;
  std::string name_;
  T bias_;
  bool shared_;
};

}  // namespace gradproof
