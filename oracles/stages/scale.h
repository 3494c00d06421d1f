// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stages/parameter.h"

namespace gradproof {

/// y = x p, p one number for each column or one for all.   dx = dy p,  dp = sum dy x.
template <class A>
class Scale final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Scale(const Step& step, const Setting<A>& setting) : factor_(step, 0, setting) {}

  Values<T> value(const Values<T>& x) override {
    x_ = x;
    return scaled(x);
  }

  Adjoint<T> adjoint(const Values<T>& dy) const override {
    return {scaled(dy), {{factor_.name(), factor_.gradient(dy, x_)}}};
  }

 private:
  Values<T> scaled(const Values<T>& in) const {
    Values<T> out;
    out.reserve(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) out.push_back(in[i] * factor_[i]);
    return out;
  }

  Parameter<A> factor_;
  Values<T> x_;
};

}  // namespace gradproof
