// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "oracles/functions/function_in.h"

namespace gradproof {

/// The derivative of one output by one number, computed in three ways, in 400 digits.
struct OutputDerivative {
  Real rest;  ///< the output itself
  Real difference;
  Real self_error;  ///< |D(h) - D(2h)|
  Real dual;
  bool moves = false;           ///< dual numbers say that the output depends on the number
  std::optional<Real> adjoint;  ///< for dy = 1 at the output, 0 elsewhere, where it was computed
};

/// Those of all outputs.
struct OutputDerivatives {
  std::vector<OutputDerivative> of;
  bool smooth = true;  ///< no comparison changes between the moves
};

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The derivatives of all outputs of a functor by the number at a place of an input, with
/// differences of order 2 at h = 2^log2_h. The adjoint is computed for each output whose index is a
/// multiple of `apart`.
template <class F>
OutputDerivatives output_derivatives(const F& function, const FunctionFacts& facts,
                                     std::size_t input, std::size_t place, int log2_h,
                                     std::size_t apart) {
  using T = Traced<Digits400>;
  FunctionIn<F, Digits400> in(function, facts);
  FunctionIn<F, PathDualOf<Digits400>> dual(function, facts);
  const Outputs<Digits400> rest = in.value();
  const Outputs<PathDualOf<Digits400>> along = dual.value_at(input, place, {0, 1});
  OutputDerivatives all;
  const auto difference = [&](int log2_move) {
    const Digits400 h = ldexp(Digits400(1), log2_move);
    const Outputs<Digits400> above = in.value_at(input, place, h);
    const Outputs<Digits400> below = in.value_at(input, place, Digits400(-h));
    for (const auto* moved : {&above, &below})
      all.smooth = all.smooth && moved->trace.outcomes == rest.trace.outcomes;
    Values<Digits400> result;
    for (std::size_t i = 0; i < above.y.size(); ++i)
      result.push_back(ldexp(Digits400(above[i] - below[i]), -1 - log2_move));
    return result;
  };
  const Values<Digits400> fine = difference(log2_h);
  const Values<Digits400> coarse = difference(log2_h + 1);
  Arrays<T> numbers;
  for (const FunctionInput& each : facts.inputs)
    numbers.emplace_back(each.numbers.begin(), each.numbers.end());
  std::vector<T> dy(rest.y.size(), T(0));
  for (std::size_t i = 0; i < rest.y.size(); ++i) {
    const PathDualOf<Digits400>& by_dual = along[i];
    all.of.push_back({Real(rest[i]), Real(fine[i]), Real(abs(fine[i] - coarse[i])),
                      Real(by_dual.sum), by_dual.moves, std::nullopt});
    if (i % apart != 0) continue;
    dy[i] = T(1);
    all.of[i].adjoint = Real(function.gradient(numbers, dy)[input][place].value());
    dy[i] = T(0);
  }
  return all;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
