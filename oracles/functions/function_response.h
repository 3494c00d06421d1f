// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>

#include "core/tensor/philox.h"
#include "oracles/functions/function_call.h"
#include "oracles/functions/function_target.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// How a function's value changes where all numbers of one input move together, each by a fraction
/// of its width, at 400 digits.
template <class F>
class Response {
 public:
  Response(const FunctionCall<F>& call, const FunctionTarget& subject, std::size_t tensor)
      : call_(call), subject_(subject), tensor_(tensor) {
    const Stream stream(tensor, "response");
    for (std::size_t i = 0; i < subject.inputs()[tensor].numbers.size(); ++i)
      direction_.push_back(std::ldexp(stream.normal(i), subject.log2_width(tensor, i)));
    slope_ = call.template directional<Digits400>(tensor, direction_, subject.dy());
  }

  /// By how many powers of two the widths are too large: numbers of 1e60 that differ by nothing, in
  /// front of a norm whose eps is 1e-5. The first moves that change the value as dual numbers say,
  /// to a digit, are looked for; 0 where they are near the width, as they should be, or nowhere.
  /// Only steps are chosen by it.
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
      if (subject_.dy()[i] != 0) change += subject_.dy()[i] * (above[i].value() - below[i].value());
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
  const FunctionTarget& subject_;
  std::size_t tensor_;
  std::vector<double> direction_;
  PathSum slope_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
