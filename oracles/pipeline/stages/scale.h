// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stages/parameter.h"

namespace gradproof {

/// y = x p, p one number for each column or one for all.   dx = dy p,  dp = sum dy x; right in
/// front of a norm that may be the norm's to give (CompiledStep::gradient_behind).
template <class A>
class Scale final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Scale(const CompiledStep& line, const Setting<A>& setting) : factor_(line, 0, setting) {
    if (!line.gradient_behind) this->gradients_.resize(1);
  }

  const Values<T>& value(const Values<T>& x) override {
    remember(x);
    return scaled(y_, x);
  }

  void remember(const Values<T>& x) override { x_ = &x; }

  const Values<T>& adjoint(const Values<T>& dy) override {
    if (!this->gradients_.empty()) factor_.gradient(this->gradients_[0], dy, *x_);
    return scaled(dx_, dy);
  }

 private:
  const Values<T>& scaled(Values<T>& out, const Values<T>& in) const {
    as_long_as(out, in);
    const auto p = factor_.numbers();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] * p[i];
    return out;
  }

  Parameter<A> factor_;
  const Values<T>* x_ = nullptr;
  Values<T> y_;
  Values<T> dx_;
};

}  // namespace gradproof
