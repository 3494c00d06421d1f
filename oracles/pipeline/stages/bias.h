// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stages/parameter.h"

namespace gradproof {

/// y = x + b, b one number for each column or one for all.   dx = dy,  db = sum dy.
template <class A>
class Bias final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Bias(const CompiledStep& line, const Setting<A>& setting) : bias_(line, 0, setting) {
    this->gradients_.resize(1);
  }

  const Values<T>& value(const Values<T>& x) override {
    as_long_as(y_, x);
    const auto b = bias_.numbers();
    for (std::size_t i = 0; i < x.size(); ++i) y_[i] = x[i] + b[i];
    return y_;
  }

  void remember(const Values<T>&) override {}

  const Values<T>& adjoint(const Values<T>& dy) override {
    bias_.gradient(this->gradients_[0], dy);
    return dy;
  }

 private:
  Parameter<A> bias_;
  Values<T> y_;
};

}  // namespace gradproof
