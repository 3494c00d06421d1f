// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "core/tensor/philox.h"
#include "oracles/functions/function_call.h"
#include "oracles/functions/function_target.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// How a function's value changes when all numbers of one input move together, each by a fraction
/// of its width; computed with 400 digits.
template <class F>
class Response {
 public:
  Response(const FunctionCall<F>& call, const FunctionTarget& target, std::size_t tensor)
      : call_(call), target_(target), tensor_(tensor) {
    const Stream stream(tensor, "response");
    for (std::size_t i = 0; i < target.inputs()[tensor].numbers.size(); ++i)
      direction_.push_back(std::ldexp(stream.normal(i), target.log2_width(tensor, i)));
    slope_ = call.template directional<Digits400>(tensor, direction_, target.dy());
  }

  /// By how many powers of two the widths are too large, as of equal numbers of 1e60 in front of a
  /// norm whose eps is 1e-5. It searches the largest moves that change the value as dual numbers
  /// predict, to 10 %; 0 where these are near the width, as usual, or where there are none. The
  /// result only guides the choice of steps.
  int too_wide() const {
    if (!isfinite(slope_.sum) || abs(slope_.sum) <= slope_.floor()) return 0;
    for (int step = kUsual; step < kFinest; step += kStep)
      if (follows(-step) && follows(-step - kStep)) return step == kUsual ? 0 : step - kStep;
    return 0;
  }

 private:
  static constexpr int kUsual = 20;
  static constexpr int kStep = 10;
  static constexpr int kFinest = 1000;

  bool follows(int log2_step) const {
    const auto above = moved(log2_step, 1);
    const auto below = moved(log2_step, -1);
    Digits400 change(0);
    for (std::size_t i = 0; i < above.size(); ++i)
      if (target_.dy()[i] != 0) change += target_.dy()[i] * (above[i].value() - below[i].value());
    const Real slope = ldexp(Real(change), -log2_step - 1);
    return abs(Real(slope - slope_.sum)) <= abs(slope_.sum) * Real(0.1);
  }

  std::vector<Traced<Digits400>> moved(int log2_step, int sign) const {
    auto in = call_.template inputs<Digits400>();
    for (std::size_t i = 0; i < direction_.size(); ++i)
      in[tensor_][i] += Traced<Digits400>(ldexp(Digits400(sign * direction_[i]), log2_step));
    BranchTrace trace;
    return call_.value(in, trace);
  }

  const FunctionCall<F>& call_;
  const FunctionTarget& target_;
  std::size_t tensor_;
  std::vector<double> direction_;
  PathSum slope_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
