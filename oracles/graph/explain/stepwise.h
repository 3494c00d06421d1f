// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/explain/graph_site.h"
#include "oracles/graph/runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Evaluates a site step by step, the adjoints too if `backward`, from the given statistics if
/// there are any. Of n steps, before(k) is called in front of the k-th step's value, and before(n +
/// k) in front of its adjoint.
template <class A, class Before>
void run_stepwise(GraphRunner<A>& runner, const GraphSite& site, bool backward,
                  const Before& before) {
  using T = typename A::Scalar;
  const GraphPlan& plan = site.plan();
  const BlockNumbers numbers = site.numbers();
  for (std::size_t k = 0; k < numbers.tensors.size(); ++k)
    if (numbers.tensors[k] != nullptr)
      runner.tensor(k) = field_of<T>(plan.values[k], numbers.tensors[k]);
  std::vector<Field<T>> given;
  for (std::size_t k = 0; k < numbers.given.size(); ++k)
    given.push_back(field_of<T>(plan.statistics[k].value, numbers.given[k]));
  runner.set_statistics(given);
  const std::size_t steps = plan.steps.size();
  for (std::size_t k = 0; k < steps; ++k) {
    before(k);
    runner.step_forward(k);
  }
  if (!backward) return;
  std::vector<Field<T>> cotangents;
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    cotangents.push_back(
        field_of<T>(plan.values[static_cast<std::size_t>(plan.outputs[k])], numbers.cotangents[k]));
  runner.start_backward(std::move(cotangents));
  for (std::size_t k = steps; k-- > 0;) {
    before(steps + k);
    runner.step_back(k);
  }
  runner.end_backward();
}

/// The numbers of the steps at an element's place.
template <class T>
struct Trail {
  std::vector<T> values;      ///< by GraphPlan::values; 0 for labels
  std::vector<T> cotangents;  ///< by GraphPlan::values; 0 where there is none
  std::vector<T> statistics;  ///< by GraphPlan::statistics
};

/// The trail of a site, of the backward pass too if `backward`.
template <class A>
Trail<typename A::Scalar> trail_of(const GraphSite& site, const A& arithmetic, bool backward) {
  using T = typename A::Scalar;
  const GraphPlan& plan = site.plan();
  const BlockNumbers numbers = site.numbers();
  GraphRunner<A> runner(plan, arithmetic, numbers.chosen, numbers.length);
  Trail<T> trail;
  trail.cotangents.assign(plan.values.size(), T(0));
  const auto at = [&](const Field<T>& field, std::size_t place) {
    return field.empty() ? T(0) : field.v[site.at(plan.values[place])];
  };
  run_stepwise(runner, site, backward, [&](std::size_t position) {
    if (position < plan.steps.size()) return;
    const auto place = static_cast<std::size_t>(plan.steps[position - plan.steps.size()].value);
    trail.cotangents[place] = at(runner.gradient(place), place);
  });
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
    if (backward) trail.cotangents[k] = at(runner.gradient(k), k);
  for (std::size_t k = 0; k < plan.values.size(); ++k)
    trail.values.push_back(at(runner.value(static_cast<int>(k)), k));
  for (std::size_t k = 0; k < plan.statistics.size(); ++k)
    trail.statistics.push_back(runner.statistic(k).v[site.at(plan.statistics[k])]);
  return trail;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
