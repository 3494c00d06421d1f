// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/explain/stepwise.h"
#include "oracles/graph/explain/switched.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The bound of one element, before it is stored, with the roundings of some steps alone. F is the
/// type that the contract accumulates in.
template <class F>
class StepBounds {
 public:
  using Number = Switched<F>;
  using Arithmetic = ErrorArithmetic<Number>;
  using Scalar = ErrorScalar<Number>;

  /// Whose roundings count: all, none, those of one position (stepwise.h), or those of the sum over
  /// the numbers along the axis that blocks are cut from.
  static constexpr int kAll = -1;
  static constexpr int kNone = -2;
  int sum_alone() const { return 2 * steps(); }
  int steps() const { return static_cast<int>(site_.plan().steps.size()); }

  /// Neither claim nor site may end before it.
  StepBounds(const GraphClaim& claim, const GraphElement& element, const GraphSite& site)
      : element_(element),
        site_(site),
        all_(claim.contract, claim.contract.stored_between()),
        exact_contract_(without_roundings(claim.contract)),
        none_(exact_contract_, exact_contract_.stored_between()) {}

  /// Of a sum of which the site has a part, the part's share of it.
  Scalar bound(int whose) const {
    const BlockNumbers numbers = site_.numbers();
    GraphRunner<Arithmetic> runner(site_.plan(), all_, numbers.chosen, numbers.length);
    const auto enter = [&](std::size_t position) {
      runner.take(switched(whose == kAll || whose == static_cast<int>(position)));
    };
    run_stepwise(runner, site_, element_.gradient, enter);
    const Arithmetic& sums = switched(whose == kAll || whose == sum_alone());
    const Scalar found = total(runner, sums);
    Number::round(true);
    return found;
  }

  /// The permitted errors on the way, all roundings counted.
  std::vector<std::pair<double, double>> permitted() const {
    Number::round(true);
    const Trail<Scalar> trail = trail_of(site_, all_, element_.gradient);
    std::vector<std::pair<double, double>> errors;
    for (std::size_t k = 0; k < trail.values.size(); ++k)
      errors.emplace_back(error_of(trail.values[k]), error_of(trail.cotangents[k]));
    return errors;
  }

  static double error_of(const Scalar& of) {
    const bool open = of.vacuous || of.overflow;
    return open ? std::numeric_limits<double>::infinity() : of.total();
  }

 private:
  /// What all arithmetic is if nothing is rounded: functions without an error of their own, nothing
  /// stored. Relative errors vanish with the number type's unit.
  static GraphContract without_roundings(GraphContract contract) {
    contract.functions.erf_absolute = 0;
    contract.functions.exp_underflows = false;
    contract.functions.gelu_underflows = false;
    contract.stored_values = false;
    contract.stored_names.clear();
    contract.stored_parts.clear();
    return contract;
  }

  const Arithmetic& switched(bool on) const {
    Number::round(on);
    return on ? all_ : none_;
  }

  Scalar total(const GraphRunner<Arithmetic>& runner, const Arithmetic& arithmetic) const {
    const GraphPlan& plan = site_.plan();
    const PlanValue& value = plan.values[element_.place];
    const std::size_t at = site_.at(value);
    if (!element_.gradient) return runner.value(static_cast<int>(element_.place)).v[at];
    const Field<Scalar>& terms = runner.gradient(element_.place);
    if (element_.sliced) return terms.empty() ? Scalar(0) : terms.v[at];
    CollectedSums<Number> sums;
    const Block& block = site_.block().block;
    const auto take = [&](int tensor, std::int64_t length, const SumOrder& order,
                          const ErrorSum<Number>& sum, double share) {
      typename CollectedSums<Number>::Use use{tensor, length, order, {}, {}, share};
      use.bounds.assign(at + 1, sum.folded());
      use.truths.resize(at + 1);
      sums.take(std::move(use));
    };
    for (const auto& use : runner.summed_uses())
      if (use.tensor == static_cast<int>(element_.place))
        take(use.tensor, use.length / block.length * block.whole, use.order, use.sums[at],
             use.share);
    if (!terms.empty()) {
      ErrorSum<Number> one;
      one.add(terms.v[at]);
      take(static_cast<int>(element_.place), 1, {}, one, 1);
    }
    return sums.of(static_cast<int>(element_.place), at, arithmetic).first;
  }

  const GraphElement& element_;
  const GraphSite& site_;
  Arithmetic all_;
  GraphContract exact_contract_;
  Arithmetic none_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
