// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/run.h"

namespace gradproof {

/// A map from names of tensors.
template <class T>
using Named = std::map<std::string, T, std::less<>>;

/// The result of a backward pass: the cotangent of x, and the gradient of each parameter.
template <class T>
struct Adjoint {
  Values<T> input;
  Named<Values<T>> parameters;
};

/// All results of a claim on one unit in one arithmetic, by name.
template <class T>
struct Evaluation {
  Values<T> y;
  Named<T> side_values;  ///< mean, rstd, buffers after the step
  Adjoint<T> gradients;
};

/// Runs the claim's pipeline on one unit and copies all results.
template <class A>
Evaluation<typename A::Scalar> evaluate_unit(const Claim& claim, A arithmetic,
                                             Unit<typename A::Scalar> numbers,
                                             const std::optional<GivenStatistics>& given,
                                             std::int64_t unit) {
  const CompiledPipeline compiled(claim);
  arithmetic.take_count(static_cast<std::int64_t>(numbers.x.size()));
  PipelineRunner<A> runner({compiled, arithmetic, numbers});
  Evaluation<typename A::Scalar> result;
  run_pipeline(compiled, runner, numbers, given_for<typename A::Scalar>(given, unit), [&] {
    result.y = runner.value();
    for (std::size_t s = 0; s < compiled.sides.size(); ++s)
      result.side_values.emplace(compiled.sides[s].name, runner.side_value(s));
  });
  if (!compiled.backward) return result;
  result.gradients.input = runner.input_gradient();
  for (std::size_t slot = 0; slot < compiled.numbers.size(); ++slot)
    if (runner.gradient(slot) != nullptr)
      result.gradients.parameters.emplace(compiled.numbers[slot].name, *runner.gradient(slot));
  return result;
}

}  // namespace gradproof
