// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// y = f(z) = z sigmoid(z).   dz = dy f'(z), f' = s (1 + z (1-s)).   Formulas: logistic.h;
/// the adjoint takes the sigmoid that the value computed.
template <class A>
class Swish final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Swish(const CompiledStep&, const Setting<A>& setting) : arithmetic_(setting.arithmetic) {}

  const Values<T>& value(const Values<T>& z) override {
    z_ = &z;
    logistic_.resize(z.size());
    as_long_as(y_, z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      logistic_[i] = logistic_of(z, i);
      y_[i] = arithmetic_.swish(z[i], logistic_[i]);
    }
    return y_;
  }

  void remember(const Values<T>& z) override {
    z_ = &z;
    logistic_.resize(z.size());
    for (std::size_t i = 0; i < z.size(); ++i) logistic_[i] = logistic_of(z, i);
  }

  const Values<T>& adjoint(const Values<T>& dy) override {
    as_long_as(dz_, dy);
    const Values<T>& z = *z_;
    for (std::size_t i = 0; i < dy.size(); ++i)
      dz_[i] = arithmetic_.swish_adjoint(dy[i], z[i], logistic_[i]);
    return dz_;
  }

 private:
  /// Equal neighbours share theirs where it is dear: in the audit of a constant column of n numbers
  /// all but one are equal, each time that one is moved.
  typename A::Sigmoid logistic_of(const Values<T>& z, std::size_t i) const {
    if constexpr (requires { requires A::kSigmoidIsDear; })
      if (i > 0 && z[i] == z[i - 1]) return logistic_[i - 1];
    return arithmetic_.logistic(z[i]);
  }

  const A& arithmetic_;
  const Values<T>* z_ = nullptr;
  std::vector<typename A::Sigmoid> logistic_;
  Values<T> y_;
  Values<T> dz_;
};

}  // namespace gradproof
