// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/trace.h"

#include <cmath>
#include <limits>

#include "oracles/arithmetic/real.h"
#include "oracles/bounds/with_number_type.h"
#include "oracles/explain/messages.h"

namespace gradproof {
namespace {

/// The values behind each step in one unit, and their cotangents.
template <class A>
struct Readings {
  using T = typename A::Scalar;

  std::vector<Values<T>> values;      ///< x, then the value of each step
  std::vector<Values<T>> cotangents;  ///< of these values; empty without a backward pass
  Named<T> side_values;
};

template <class A>
Readings<A> readings_of(const Claim& claim, const A& arithmetic, const Unit<double>& unit) {
  UnitEvaluator<A> evaluator(claim, arithmetic);
  evaluator.take_numbers(unit);
  Readings<A> result;
  result.side_values = evaluator(unit).side_values;
  const PipelineRunner<A>& text = evaluator.text();
  result.values.emplace_back();
  for (const double v : unit.x) result.values.front().emplace_back(v);
  if (claim.backward) result.cotangents.push_back(text.input_gradient());
  for (std::size_t k = 0; k < claim.chain().size(); ++k) {
    result.values.push_back(text.value_of(k));
    if (claim.backward) result.cotangents.push_back(*text.cotangent_of(k));
  }
  return result;
}

template <class F>
Passage passage(std::string name, std::string formula, const Real& truth,
                const ErrorScalar<F>& bound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool none = bound.vacuous || bound.overflow;
  return {std::move(name), std::move(formula), truth.str(20), truth.convert_to<double>(),
          none ? kInfinity : bound.total()};
}

template <class F>
Trace joined(const Claim& claim, const Readings<Plain<Real>>& truth,
             const Readings<Bounding<F>>& bound, std::size_t place) {
  const std::vector<GraphStep> steps = claim.chain();
  Trace trace;
  for (std::size_t k = 0; k < truth.values.size(); ++k)
    trace.forward.push_back(passage(k == 0 ? "x" : steps[k - 1].value,
                                    k == 0 ? "input" : formula_of(claim, steps[k - 1]),
                                    truth.values[k][place], bound.values[k][place]));
  for (std::size_t k = truth.cotangents.size(); k-- > 0;) {
    const bool last = k == steps.size();
    trace.backward.push_back(
        passage(last ? "dy" : "d_" + (k == 0 ? std::string("x") : steps[k - 1].value),
                last ? "input" : adjoint_of(steps[k]), truth.cotangents[k][place],
                bound.cotangents[k][place]));
  }
  for (const char* name : {"mean", "rstd"})
    if (const auto found = truth.side_values.find(name); found != truth.side_values.end())
      trace.statistics.push_back(
          passage(name, "of the unit", found->second, bound.side_values.at(name)));
  return trace;
}

template <class F>
Trace trace_in(const Claim& claim, const Tensors& inputs,
               const std::optional<GivenStatistics>& given, std::int64_t unit, std::int64_t place,
               bool backward) {
  Claim traced = claim;
  traced.forward = true;
  traced.backward = backward;
  Unit<double> numbers = gather<double>(traced, inputs, unit);
  numbers.given = given_for<double>(given, unit);
  const auto truth = readings_of(traced, Plain<Real>(), numbers);
  const auto bound = readings_of(traced, Bounding<F>(traced), numbers);
  return joined(traced, truth, bound, static_cast<std::size_t>(place));
}

/// The trace of a backward pass with given statistics: these are exact, and there is no y.
Trace from_given(Trace trace, const Statistics<double>& given) {
  trace.forward.pop_back();
  trace.statistics.clear();
  for (const auto& [name, value] : {std::pair("mean", given.mean), std::pair("rstd", given.rstd)})
    trace.statistics.push_back(
        {name, "as forward saved it, exact here", Real(value).str(20), value, 0});
  return trace;
}

}  // namespace

Trace trace_of(const Claim& claim, const Tensors& inputs,
               const std::optional<GivenStatistics>& given, std::int64_t unit, std::int64_t place,
               bool backward) {
  std::string value = "x";
  for (const GraphStep& step : claim.chain()) {
    if (step.operands.front().name != value) return {};  // it takes another value than the last
    value = step.value;
  }
  Trace trace = with_number_type(claim.contract, [&](auto type) {
    return trace_in<decltype(type)>(claim, inputs, given, unit, place, backward);
  });
  const auto statistics = given_for<double>(given, unit);
  return statistics ? from_given(std::move(trace), *statistics) : trace;
}

}  // namespace gradproof
