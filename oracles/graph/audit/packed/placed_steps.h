// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "oracles/graph/audit/placed_plan.h"
#include "oracles/graph/runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Evaluates the steps of a PlacedPlan.
template <class A>
class PlacedSteps {
 public:
  using T = typename A::Scalar;
  using Numbers = FieldNumbers<T>;

  /// `still` may be null if nothing rests. Everything must outlive it, and the values in both
  /// runners that do not move must stay as they are.
  PlacedSteps(const A& arithmetic, const GraphPlan& plan, const PlacedPlan& placed,
              const GraphRunner<A>& at_rest, const GraphRunner<A>* still)
      : a_(arithmetic),
        plan_(plan),
        placed_(placed),
        at_rest_(at_rest),
        still_(still),
        values_(plan.values.size()),
        memory_(plan.steps.size()) {}

  /// The numbers that the normaliser takes, of the tensor's numbers.
  const Numbers& before(Numbers numbers) {
    values_[placed_.tensor].v = std::move(numbers);
    run(placed_.before);
    return value(normaliser().operands.front());
  }
  /// The sum of dy (y' - y) over the plan's outputs, by place, if the normaliser has that value; y
  /// is given whole.
  Numbers changes(const Numbers& value, const std::vector<Field<T>>& dy,
                  const std::vector<Field<T>>& y) {
    values_[static_cast<std::size_t>(normaliser().value)].v = value;
    run(placed_.behind);
    Numbers sums = numbers_by<T>(std::ssize(value), [](auto) { return T(0); });
    for (const std::size_t k : placed_.how->outputs) {
      const Numbers& moved = this->value(plan_.outputs[k]);
      for (std::size_t i = 0; i < moved.size(); ++i) {
        const std::size_t p = placed_.places[i];
        sums[i] = sums[i] + dy[k].v[p] * (moved[i] - y[k].v[p]);
      }
    }
    return sums;
  }

 private:
  /// The numbers of a value that moves, as they are now.
  const Numbers& value(int place) const { return values_[static_cast<std::size_t>(place)].v; }
  const PlanStep& normaliser() const {
    return plan_.steps[static_cast<std::size_t>(placed_.how->normaliser)];
  }

  void run(const std::vector<PlacedStep>& steps) {
    for (const PlacedStep& s : steps)
      values_[static_cast<std::size_t>(s.step.value)] = elementwise_value(context_of(s));
  }
  StepContext<A> context_of(const PlacedStep& s) {
    StepContext<A> context{
        a_,     plan_, s.step, static_cast<int>(s.position), a_.contract_of(s.step.step->value),
        memory_};
    for (std::size_t o = 0; o < s.fields.size(); ++o)
      context.in.push_back(field_of_operand(s.fields[o], s.step.operands[o]));
    for (const double number : s.step.numbers) context.numbers.push_back(a_.literal(T(number)));
    return context;
  }
  const Field<T>* field_of_operand(OperandField field, int operand) const {
    switch (field) {
      case OperandField::none:
        return nullptr;
      case OperandField::moved:
        return &values_[static_cast<std::size_t>(operand)];
      case OperandField::at_rest:
        return &at_rest_.value(operand);
      case OperandField::still:
        break;
    }
    return &still_->value(operand);
  }

  const A& a_;
  const GraphPlan& plan_;
  const PlacedPlan& placed_;
  const GraphRunner<A>& at_rest_;
  const GraphRunner<A>* still_;
  std::vector<Field<T>> values_;  ///< by value, those that move
  std::vector<StepMemory<A>> memory_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
