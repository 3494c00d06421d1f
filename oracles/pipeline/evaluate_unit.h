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
Evaluation<typename A::Scalar> evaluate_text(
    const CompiledPipeline& compiled, PipelineRunner<A>& text, Unit<typename A::Scalar>& unit,
    const std::optional<Statistics<typename A::Scalar>>& given) {
  Evaluation<typename A::Scalar> result;
  run_pipeline(compiled, text, unit, given, [&] {
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

template <class A>
Evaluation<typename A::Scalar> evaluate_unit(const Claim& claim, A arithmetic,
                                             Unit<typename A::Scalar> numbers,
                                             const std::optional<GivenStatistics>& given,
                                             std::int64_t unit) {
  const CompiledPipeline compiled(claim);
  arithmetic.take_count(static_cast<std::int64_t>(numbers.x.size()));
  PipelineRunner<A> text({compiled, arithmetic, numbers});
  return evaluate_text(compiled, text, numbers, given_for<typename A::Scalar>(given, unit));
}

/// Evaluates units of one claim one after the other; `take_numbers` comes before the first, and
/// whenever the parameters change.
template <class A>
class UnitEvaluator {
 public:
  using T = typename A::Scalar;

  UnitEvaluator(const Claim& claim, A arithmetic)
      : compiled_(claim),
        arithmetic_(std::move(arithmetic)),
        unit_{{}, {}, std::vector<Values<T>>(compiled_.numbers.size()), 0, {}},
        text_({compiled_, arithmetic_, unit_}) {}
  UnitEvaluator(const UnitEvaluator&) = delete;
  UnitEvaluator& operator=(const UnitEvaluator&) = delete;

  void take_numbers(const Unit<double>& from) {
    unit_.batches = from.batches;
    for (std::size_t slot = 0; slot < from.numbers.size(); ++slot)
      assign(unit_.numbers[slot], from.numbers[slot]);
  }

  /// x and dy of from; its numbers are those that were taken.
  Evaluation<T> operator()(const Unit<double>& from) {
    assign(unit_.x, from.x);
    assign(unit_.dy, from.dy);
    arithmetic_.take_count(static_cast<std::int64_t>(from.x.size()));
    std::optional<Statistics<T>> given;
    if (from.given) given = Statistics<T>{T(from.given->mean), T(0), T(from.given->rstd)};
    return evaluate_text(compiled_, text_, unit_, given);
  }

  const A& arithmetic() const { return arithmetic_; }
  const CompiledPipeline& compiled() const { return compiled_; }
  /// Every step's value and cotangent, of the unit that was evaluated last.
  const PipelineRunner<A>& text() const { return text_; }

 private:
  static void assign(Values<T>& into, const Values<double>& from) {
    into.clear();
    into.reserve(from.size());
    for (const double v : from) into.push_back(T(v));
  }

  CompiledPipeline compiled_;
  A arithmetic_;
  Unit<T> unit_;
  PipelineRunner<A> text_;
};

}  // namespace gradproof
