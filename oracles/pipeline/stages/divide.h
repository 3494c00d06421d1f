// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// y = x / d, d a number of the claim.   dx = dy / d.
template <class A>
class Divide final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  Divide(const CompiledStep& line, const Setting<A>&) : divisor_(line.scalars[0]) {}

  const Values<T>& value(const Values<T>& x) override { return divided(y_, x); }

  void remember(const Values<T>&) override {}

  const Values<T>& adjoint(const Values<T>& dy) override { return divided(dx_, dy); }

 private:
  const Values<T>& divided(Values<T>& out, const Values<T>& in) const {
    as_long_as(out, in);
    const double divisor = divisor_;  // what is written to out does not change it
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = T(in[i] / divisor);
    return out;
  }

  double divisor_;
  Values<T> y_;
  Values<T> dx_;
};

}  // namespace gradproof
