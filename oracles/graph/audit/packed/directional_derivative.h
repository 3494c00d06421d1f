// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/audit/packed/wide_dual.h"
#include "oracles/graph/runner.h"
#include "oracles/graph/tier.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// <J v, dy> of a graph in one block by dual numbers, forward through its steps, v being a
/// direction of one tensor, in packs of a wide number N. Operands that rest have no derivative.
template <WideNumber N>
class DirectionalDerivative {
 public:
  DirectionalDerivative(const GraphPlan& plan, const MovedTensors& tensors,
                        const BlockNumbers& numbers)
      : plan_(plan), tensors_(tensors), numbers_(numbers) {}

  N operator()(std::size_t tensor, const double* direction) const {
    const Truth truth;
    Runner runner(plan_, truth, numbers_.chosen, numbers_.length * kLanesOf<N>);
    for (std::size_t k = 0; k < numbers_.tensors.size(); ++k)
      if (numbers_.tensors[k] != nullptr)
        runner.tensor(k) = field_of<T>(plan_.values[k], numbers_.tensors[k]);
    Field<T>& moved = runner.tensor(tensor);
    for (std::size_t i = 0; i < moved.v.size(); ++i) moved.v[i].d = N(Pack(direction[i]));
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) step_forward(runner, k);
    N sum(0);
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      const auto& y = runner.value(plan_.outputs[k]).v;
      const double* const dy = numbers_.cotangents[k];
      for (std::size_t i = 0; i < y.size(); ++i) sum = sum + N(Pack(dy[i])) * y[i].d;
    }
    return sum;
  }

 private:
  using T = WideDual<N>;
  using Truth = TruthArithmetic<WideDualFunctionsOf<N>>;
  using Runner = GraphRunner<Truth>;

  void step_forward(Runner& runner, std::size_t k) const {
    const auto& resting = tensors_.resting[k];
    const auto operand = [&](std::size_t i) -> Field<T>& {
      return runner.tensor(place(plan_.steps[k].operands[resting[i]]));
    };
    std::vector<Field<T>> before;
    for (std::size_t i = 0; i < resting.size(); ++i) {
      before.push_back(operand(i));
      for (T& number : operand(i).v) number.d = N();
    }
    runner.step_forward(k);
    for (std::size_t i = 0; i < resting.size(); ++i) operand(i) = std::move(before[i]);
  }

  const GraphPlan& plan_;
  const MovedTensors& tensors_;
  const BlockNumbers& numbers_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
