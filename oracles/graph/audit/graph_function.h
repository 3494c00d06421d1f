// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>

#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/functions/audit_function.h"
#include "oracles/functions/function_units.h"
#include "oracles/graph/arithmetic.h"
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
  /// Neither plan nor inputs may end before it.
  GraphFunction(const GraphPlan& plan, const Tensors& inputs, const PackedBlock& block)
      : plan_(plan), numbers_(plan, inputs, block) {
    for (const PlanStep& s : plan.steps)
      for (std::size_t k = 0; k < s.operands.size(); ++k) detaches_ = detaches_ || rests(s, k);
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

  /// Whether nothing goes back through an operand: of `detach`, of an update of running statistics,
  /// and those statistics where a norm takes them.
  static bool rests(const PlanStep& s, std::size_t operand) {
    if (s.operands[operand] < 0) return false;
    const auto keeps = [](const StageOperand& o) {
      return o.part == TensorPart::running_mean || o.part == TensorPart::running_variance;
    };
    const bool updates =
        s.row->form == StageForm::reduces && std::ranges::any_of(s.row->operands, keeps);
    return s.step->stage == "detach" || updates || keeps(s.row->operands[operand]);
  }

  /// visit(k, numbers) for each tensor with a gradient, or for each that has none but labels.
  template <class Visit>
  void each_tensor(const Visit& visit, bool gradient = true) const {
    const BlockNumbers numbers = numbers_.view();
    for (std::size_t k = 0; k < numbers.tensors.size(); ++k)
      if (numbers.tensors[k] != nullptr && has_gradient(plan_.graph->tensors[k].part) == gradient)
        visit(k, numbers.tensors[k]);
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

  /// Operands through which nothing goes back do not move with the tensors: they are what they are
  /// at rest.
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
      if (rests(s, k)) {
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

/// A graph as the sum of its parts along the axis that blocks are cut from, F being GraphFunction
/// or a class that is constructed as it is. Neither claim nor inputs may end before it.
template <class F>
FunctionUnits units_of_graph(const GraphClaim& claim, const Tensors& inputs,
                             const FunctionOptions& options) {
  struct Part {
    GraphPlan plan;
    F function;
    Part(const GraphClaim& claim, const Tensors& inputs, const PackedBlock& block)
        : plan(claim.plan(block.block.length)), function(plan, inputs, block) {}
  };
  const std::string cut = block_axis(claim.graph, claim.extents);
  const std::int64_t length = cut.empty() ? 1 : claim.extents.at(cut);
  std::vector<FunctionUnit> units(static_cast<std::size_t>(length));
  for_each_index(length, [&](std::int64_t k) {
    const PackedBlock block{cut, {k, 1, length}, 1};
    const auto part = std::make_shared<const Part>(claim, inputs, block);
    FunctionUnit& unit = units[static_cast<std::size_t>(k)];
    FunctionOptions own = options;
    own.dy = part->function.dy();
    unit.owner = part;
    unit.function = std::make_shared<FunctionOf<F>>(part->function, part->function.inputs(), own);
    for (std::size_t t = 0; t < claim.graph.tensors.size(); ++t) {
      if (!has_gradient(claim.graph.tensors[t].part)) continue;
      std::vector<std::int64_t>& entries = unit.entries.emplace_back();
      if (part->plan.values[t].sliced && length > 1)
        each_run(part->plan.values[t], block.block,
                 [&](std::int64_t, std::int64_t first, std::int64_t count) {
                   for (std::int64_t i = 0; i < count; ++i) entries.push_back(first + i);
                 });
    }
  });
  std::vector<Shape> shapes;
  for (const GraphTensor& t : claim.graph.tensors)
    if (has_gradient(t.part)) shapes.push_back(claim.shape_of(t.name));
  return {std::move(units), shapes};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
