// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/stage.h"

namespace gradproof {

/// y = x / d, d a number of the claim.   dx = dy / d.
template <class A>
class Divide final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Divide(const Step& step, const Setting<A>&) : divisor_(step.scalars.at(0)) {}

  Values<T> value(const Values<T>& x) override { return divided(x); }

  Adjoint<T> adjoint(const Values<T>& dy) const override { return {divided(dy), {}}; }

 private:
  Values<T> divided(const Values<T>& in) const {
    Values<T> out;
    out.reserve(in.size());
    for (const T& v : in) out.push_back(T(v / divisor_));
    return out;
  }

  double divisor_;
};

}  // namespace gradproof
