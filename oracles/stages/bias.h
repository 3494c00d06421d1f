// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stages/parameter.h"

namespace gradproof {

/// y = x + b, b one number for each column or one for all.   dx = dy,  db = sum dy.
template <class A>
class Bias final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Bias(const Step& step, const Setting<A>& setting) : bias_(step, 0, setting) {}

  Values<T> value(const Values<T>& x) override {
    Values<T> y;
    y.reserve(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] + bias_[i]);
    return y;
  }

  Adjoint<T> adjoint(const Values<T>& dy) const override {
    return {dy, {{bias_.name(), bias_.gradient(dy)}}};
  }

 private:
  Parameter<A> bias_;
};

}  // namespace gradproof
