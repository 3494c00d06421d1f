// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/step_bounds.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "oracles/bounds/with_number_type.h"
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/explain/stepwise.h"
#include "oracles/graph/explain/switched.h"

namespace gradproof {
namespace {

/// The contract of arithmetic that rounds nothing: functions have no absolute error, and nothing is
/// stored. Relative errors vanish with the number type's unit.
GraphContract without_roundings(GraphContract contract) {
  contract.functions.erf_absolute = 0;
  contract.functions.exp_underflows = false;
  contract.functions.gelu_underflows = false;
  contract.stored_values = false;
  contract.stored_names.clear();
  contract.stored_parts.clear();
  return contract;
}

/// StepBounds for contracts that accumulate in type F.
template <class F>
class BoundsIn final : public StepBounds {
 public:
  using Number = Switched<F>;
  using Arithmetic = ErrorArithmetic<Number>;
  using Scalar = ErrorScalar<Number>;
  using Runner = GraphRunner<Arithmetic>;

  BoundsIn(const GraphClaim& claim, const GraphElement& element, const GraphSite& site)
      : claim_(claim),
        element_(element),
        site_(site),
        exact_contract_(without_roundings(claim.contract)),
        none_(exact_contract_, exact_contract_.stored_between()) {}

  ErrorParts all(const GraphContract& contract) const override {
    return bound(contract, [](std::size_t) { return true; });
  }
  ErrorParts of(std::size_t position, const GraphContract& contract) const override {
    return bound(contract, [&](std::size_t other) { return other == position; });
  }
  ErrorParts of_none(bool with_underflow) const override {
    Number::underflow(with_underflow);
    const ErrorParts found = bound(exact_contract_, [](std::size_t) { return false; });
    Number::underflow(true);
    return found;
  }

  ErrorTrail trail() const override {
    Number::round(true);
    const Arithmetic arithmetic(claim_.contract, claim_.contract.stored_between());
    const Trail<Scalar> found = trail_of(site_, arithmetic, element_.gradient);
    const auto errors = [](const std::vector<Scalar>& numbers) {
      std::vector<double> all;
      for (const Scalar& number : numbers) all.push_back(parts_of(number, kNobody).total());
      return all;
    };
    return {errors(found.values), errors(found.cotangents), errors(found.statistics)};
  }

 private:
  static ErrorParts parts_of(const Scalar& from, int owner) {
    ErrorParts found{from.v, {}, from.vacuous, from.overflow, owner};
    for (std::size_t k = 0; k < kSharedErrors; ++k) found.parts[k] = std::abs(from.c[k]);
    found.parts[ErrorParts::kIndependent] = from.e;
    return found;
  }

  /// The bound with the roundings of the positions for which counts(position) is true.
  template <class Counts>
  ErrorParts bound(const GraphContract& contract, const Counts& counts) const {
    const Arithmetic on(contract, contract.stored_between());
    const BlockNumbers numbers = site_.numbers();
    Runner runner(site_.plan(), none_, numbers.chosen, numbers.length);
    const auto enter = [&](std::size_t position) -> const Arithmetic& {
      Number::round(counts(position));
      const Arithmetic& arithmetic = counts(position) ? on : none_;
      runner.take(arithmetic);
      return arithmetic;
    };
    run_stepwise(runner, site_, element_.gradient, enter);
    const GraphPlan& plan = site_.plan();
    const ErrorParts found =
        element_.is_sum() ? sum_of_uses(runner, enter(2 * plan.steps.size())) : own_number(runner);
    Number::round(true);
    return found;
  }

  ErrorParts own_number(Runner& runner) const {
    const GraphPlan& plan = site_.plan();
    if (element_.statistic) {
      const PlanStatistic& which = plan.statistics[element_.place];
      return parts_of(runner.statistic(element_.place).v[site_.at(which)],
                      static_cast<int>(which.step));
    }
    const Field<Scalar>& field = element_.gradient ? runner.gradient(element_.place)
                                                   : runner.value(static_cast<int>(element_.place));
    return parts_of(field.v[site_.at(plan.values[element_.place])], field.owner);
  }

  ErrorParts sum_of_uses(Runner& runner, const Arithmetic& arithmetic) const {
    const auto tensor = static_cast<int>(element_.place);
    const std::size_t at = site_.at(site_.plan().values[element_.place]);
    const auto& terms = runner.cotangents()[element_.place];
    CollectedSums<Number> sums;
    const Block& block = site_.block().block;
    using Use = typename CollectedSums<Number>::Use;
    const auto take = [&](Use use, const ErrorSum<Number>& sum) {
      use.bounds.assign(at + 1, sum.folded());
      use.truths.resize(at + 1);
      sums.take(std::move(use));
    };
    for (const auto& use : runner.summed_uses())
      if (use.tensor == tensor)
        take({tensor, use.length / block.length * block.whole, use.order, {}, {}, use.settings},
             use.sums[at]);
    if (!terms.empty()) {
      ErrorSum<Number> one;
      one.add(terms.sum().v[at]);
      Use use{tensor, 1, {}, {}, {}};
      if (!terms.sizes().empty()) use.terms = terms.terms();
      use.sizes.assign(terms.sizes().begin(), terms.sizes().end());
      take(std::move(use), one);
    }
    return parts_of(sums.of(tensor, at, arithmetic).error, kNobody);
  }

  const GraphClaim& claim_;
  const GraphElement& element_;
  const GraphSite& site_;
  GraphContract exact_contract_;
  Arithmetic none_;
};

}  // namespace

double ErrorParts::sum() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }

double ErrorParts::total() const {
  return vacuous || overflow ? std::numeric_limits<double>::infinity() : sum();
}

StepBounds::~StepBounds() = default;

std::unique_ptr<StepBounds> step_bounds(const GraphClaim& claim, const GraphElement& element,
                                        const GraphSite& site) {
  return with_number_type(claim.contract, [&](auto type) -> std::unique_ptr<StepBounds> {
    return std::make_unique<BoundsIn<decltype(type)>>(claim, element, site);
  });
}

}  // namespace gradproof
