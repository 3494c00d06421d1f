// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/run.h"

namespace gradproof {

/// By tensor name.
template <class T>
using Named = std::map<std::string, T, std::less<>>;

/// What a text's adjoint hands back: the input's cotangent, and each parameter's gradient.
template <class T>
struct Adjoint {
  Values<T> input;
  Named<Values<T>> parameters;
};

/// Everything a claim says about one unit, in one arithmetic, by name.
template <class T>
struct Evaluation {
  Values<T> y;
  Named<T> side_values;  ///< mean, rstd, buffers after the step
  Adjoint<T> gradients;
};

/// run_pipeline with everything copied out.
template <class A>
Evaluation<typename A::Scalar> evaluate_unit(const Claim& claim, A arithmetic,
                                             Unit<typename A::Scalar> numbers,
                                             const std::optional<GivenStatistics>& given,
                                             std::int64_t unit) {
  const CompiledPipeline compiled(claim);
  arithmetic.take_count(static_cast<std::int64_t>(numbers.x.size()));
  PipelineRunner<A> text({compiled, arithmetic, numbers});
  Evaluation<typename A::Scalar> result;
  run_pipeline(compiled, text, numbers, given_for<typename A::Scalar>(given, unit), [&] {
    result.y = text.value();
    for (std::size_t s = 0; s < compiled.sides.size(); ++s)
      result.side_values.emplace(compiled.sides[s].name, text.side_value(s));
  });
  if (!compiled.backward) return result;
  result.gradients.input = text.input_gradient();
  for (std::size_t slot = 0; slot < compiled.numbers.size(); ++slot)
    if (text.gradient(slot) != nullptr)
      result.gradients.parameters.emplace(compiled.numbers[slot].name, *text.gradient(slot));
  return result;
}

}  // namespace gradproof
