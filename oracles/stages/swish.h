// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stage.h"

namespace gradproof {

/// y = f(z) = z sigmoid(z).   dz = dy f'(z), f' = s (1 + z (1-s)).   Formulas: stages/logistic.h;
/// the adjoint takes the sigmoid that the value computed.
template <class A>
class Swish final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Swish(const Step&, const Setting<A>& setting) : arithmetic_(setting.arithmetic) {}

  Values<T> value(const Values<T>& z) override {
    z_ = z;
    logistic_.clear();
    logistic_.reserve(z.size());
    Values<T> y;
    y.reserve(z.size());
    for (const T& v : z) {
      logistic_.push_back(arithmetic_.logistic(v));
      y.push_back(arithmetic_.swish(v, logistic_.back()));
    }
    return y;
  }

  Adjoint<T> adjoint(const Values<T>& dy) const override {
    Values<T> dz;
    dz.reserve(dy.size());
    for (std::size_t i = 0; i < dy.size(); ++i)
      dz.push_back(arithmetic_.swish_adjoint(dy[i], z_[i], logistic_[i]));
    return {dz, {}};
  }

 private:
  const A& arithmetic_;
  Values<T> z_;
  std::vector<typename A::Sigmoid> logistic_;
};

}  // namespace gradproof
