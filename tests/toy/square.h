// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// y = z^2.   dz = dy 2z.
template <class A>
class SquareStage final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  SquareStage(const CompiledStep&, const Setting<A>&) {}

  const Values<T>& value(const Values<T>& z) override {
    remember(z);
    as_long_as(y_, z);
    for (std::size_t i = 0; i < z.size(); ++i) y_[i] = z[i] * z[i];
    return y_;
  }

  void remember(const Values<T>& z) override { z_ = &z; }

  const Values<T>& adjoint(const Values<T>& dy) override {
    as_long_as(dz_, dy);
    for (std::size_t i = 0; i < dy.size(); ++i) dz_[i] = dy[i] * ((*z_)[i] + (*z_)[i]);
    return dz_;
  }

 private:
  const Values<T>* z_ = nullptr;
  Values<T> y_;
  Values<T> dz_;
};

}  // namespace gradproof
