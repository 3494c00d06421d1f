// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>

#include "oracles/functions/audit_function.h"
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/audit/traced_functions.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/graph/runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A graph at one number along the axis that blocks are cut from, of a graph without one all of it,
/// as a function of its tensors that have a gradient (docs/audit_function.md): the value and the
/// adjoint that the oracle's stages have.
class GraphFunction {
 public:
  /// Plan and inputs must outlive the function.
  GraphFunction(const GraphPlan& plan, const Tensors& inputs, const PackedBlock& block)
      : plan_(plan), numbers_(plan, inputs, block) {
    for (const PlanStep& s : plan.steps)
      for (std::size_t k = 0; k < s.operands.size(); ++k) detaches_ = detaches_ || is_resting(s, k);
  }

  /// The outputs, one behind the other.
  template <class T>
  std::vector<T> value(const Arrays<T>& in) const {
    const Truth<T> truth;
    const BlockNumbers numbers = numbers_.view();
    Runner<T> runner(plan_, truth, numbers.chosen, numbers.length);
    load(runner, in);
    run_forward(runner, truth);
    std::vector<T> y;
    for (const int output : plan_.outputs)
      for (const T& v : runner.value(output).v) y.push_back(v);
    return y;
  }

  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    const Truth<T> truth;
    const BlockNumbers numbers = numbers_.view();
    Runner<T> runner(plan_, truth, numbers.chosen, numbers.length);
    load(runner, in);
    runner.forward();
    std::vector<Field<T>> cotangents;
    auto next = dy.begin();
    for (const int output : plan_.outputs) {
      const auto end = next + plan_.values[static_cast<std::size_t>(output)].count;
      cotangents.push_back({{next, end}});
      next = end;
    }
    runner.backward(std::move(cotangents));
    Arrays<T> gradients;
    each_tensor([&](std::size_t k, const double*) { gradients.push_back(gradient_of(runner, k)); });
    return gradients;
  }

  /// The tensors of this part of the graph, and dy, as the audit of a function takes them.
  std::vector<FunctionInput> inputs() const {
    std::vector<FunctionInput> inputs;
    each_tensor([&](std::size_t k, const double* numbers) {
      const PlanValue& value = plan_.values[k];
      inputs.push_back({value.name, value.extents, {numbers, numbers + value.count}});
    });
    return inputs;
  }
  std::vector<double> dy() const {
    std::vector<double> dy;
    const BlockNumbers numbers = numbers_.view();
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      const PlanValue& value = plan_.values[static_cast<std::size_t>(plan_.outputs[k])];
      dy.insert(dy.end(), numbers.cotangents[k], numbers.cotangents[k] + value.count);
    }
    return dy;
  }

 private:
  template <class T>
  using Truth = TruthArithmetic<TracedFunctions<T>>;
  template <class T>
  using Runner = GraphRunner<Truth<T>>;

  /// visit(k, numbers) for each tensor with a gradient, or for each that has none but labels.
  template <class Visit>
  void each_tensor(const Visit& visit, bool gradient = true) const {
    const BlockNumbers numbers = numbers_.view();
    for (std::size_t k = 0; k < numbers.tensors.size(); ++k) {
      const bool has = has_gradient(plan_.graph->tensors[k].part);
      const bool is_empty = has && plan_.values[k].count == 0;  // it has no numbers to point at
      if ((numbers.tensors[k] != nullptr || is_empty) && has == gradient)
        visit(k, numbers.tensors[k]);
    }
  }

  template <class T>
  auto loader(Runner<T>& runner) const {
    return [&](std::size_t k, const double* from) {
      runner.tensor(k) = field_of<T>(plan_.values[k], from);
    };
  }

  template <class T>
  void load(Runner<T>& runner, const Arrays<T>& in) const {
    auto next = in.begin();
    each_tensor([&](std::size_t k, const double*) {
      runner.tensor(k).v.assign(next->begin(), next->end());
      ++next;
    });
    each_tensor(loader(runner), false);
  }

  /// Operands through which nothing goes back do not move with the tensors: they stay at
  /// rest.
  template <class T>
  void run_forward(Runner<T>& runner, const Truth<T>& truth) const {
    if (!detaches_) return runner.forward();
    const BlockNumbers numbers = numbers_.view();
    Runner<T> at_rest(plan_, truth, numbers.chosen, numbers.length);
    for (const bool gradient : {true, false}) each_tensor(loader(at_rest), gradient);
    at_rest.forward();
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      exchange_resting(plan_.steps[k], runner, at_rest);
      runner.step_forward(k);
      exchange_resting(plan_.steps[k], runner, at_rest);
    }
  }

  template <class T>
  static void exchange_resting(const PlanStep& s, Runner<T>& a, Runner<T>& b) {
    for (std::size_t k = 0; k < s.operands.size(); ++k)
      if (is_resting(s, k)) {
        const auto at = static_cast<std::size_t>(s.operands[k]);
        std::swap(a.tensor(at), b.tensor(at));
      }
  }

  template <class T>
  std::vector<T> gradient_of(const Runner<T>& runner, std::size_t tensor) const {
    std::vector<T> gradient(static_cast<std::size_t>(plan_.values[tensor].count), T(0));
    const Field<T>& terms = runner.gradient(tensor);
    for (std::size_t i = 0; i < terms.v.size(); ++i) gradient[i] += terms.v[i];
    for (const auto& use : runner.summed_uses())
      if (use.tensor == static_cast<int>(tensor))
        for (std::size_t i = 0; i < use.sums.size(); ++i) gradient[i] += use.sums[i].total;
    return gradient;
  }

  const GraphPlan& plan_;
  PackedNumbers numbers_;
  bool detaches_ = false;
};

/// The facts that derivatives in many digits ask of the function: its tensors, their widths, dy.
inline FunctionFacts facts_of(const GraphFunction& function) {
  FunctionFacts facts;
  facts.inputs = function.inputs();
  facts.dy = function.dy();
  for (const FunctionInput& input : facts.inputs) facts.widths.push_back(widths_of(input.numbers));
  return facts;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
