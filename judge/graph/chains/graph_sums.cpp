// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/chains/graph_sums.h"

#include <algorithm>
#include <string>

#include "core/graph/axes/convolution.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

Axes without(Axes axes, const Axes& others) {
  std::erase_if(axes, [&](const std::string& axis) { return has_name(others, axis); });
  return axes;
}

/// Collects the sums of one step after the other.
class SumsBehind {
 public:
  SumsBehind(const GraphClaim& claim, std::string_view tensor)
      : claim_(claim), tensor_(tensor), is_output_(has_name(claim.graph.outputs, tensor)) {}

  void add(const GraphStep& step) {
    const GraphStage& stage = graph_stage(step.stage);
    const bool adds = stage.form != StageForm::elementwise && stage.form != StageForm::turns &&
                      stage.form != StageForm::sorts && (!stage.moves() || stage.move.adds);
    if (adds && (is_output_ || is_read_back(step, stage)))
      add(step, SumRole::value, value_length(step, stage));
    if (is_output_) return;
    const bool has_others = stage.form != StageForm::reduces && stage.form != StageForm::scans;
    if (adds && has_others && !stage.moves())
      add(step, SumRole::gradients, gradient_length(step, stage));
    const Axes& space = claim_.graph.axes_of(adds ? step.operands.front().name : step.value);
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const std::string& name = step.operands[k].name;
      if (name.empty() || gradient_name(name) != tensor_) continue;
      const bool of_product = stage.form == StageForm::contracts && k > 0;
      add(step, SumRole::parameters,
          of_product ? terms_of_gradient(claim_.graph, claim_.extents, step, k)
                     : extent_of(without(space, claim_.graph.axes_of(name))));
    }
  }

  std::vector<GraphSum> all;

 private:
  void add(const GraphStep& step, SumRole role, std::int64_t length) {
    if (length > 1)
      all.push_back({claim_.contract.step(step.value).order(role), length,
                     role == SumRole::value && may_be_welford(step)});
  }

  bool may_be_welford(const GraphStep& step) const {
    return form_row(FormPart::variance).is_of(step.stage) &&
           claim_.contract.forms(step, FormPart::variance).has(static_cast<int>(Variance::welford));
  }

  /// The adjoint of a sum hands its cotangent on and reads no sum, but where a step takes it.
  bool is_read_back(const GraphStep& step, const GraphStage& stage) const {
    const auto takes = [&](const GraphStep& other) { return other.takes(step.value); };
    const auto& steps = claim_.graph.steps;
    const bool hands_on = stage.form == StageForm::reduces || stage.form == StageForm::selects;
    return !hands_on || stage.is_curved() || std::any_of(steps.begin(), steps.end(), takes);
  }

  std::int64_t extent_of(const Axes& axes) const {
    std::int64_t count = 1;
    for (const std::string& axis : axes) count *= claim_.extents.at(axis);
    return count;
  }

  std::int64_t value_length(const GraphStep& step, const GraphStage& stage) const {
    if (stage.form == StageForm::slides) return taps_of_window(step);
    if (stage.moves()) return extent_of(claim_.graph.axes_of(step.operands[stage.labels()].name));
    if (stage.form == StageForm::contracts)
      return product_lengths(claim_.graph, claim_.extents, step).value;
    if (stage.form == StageForm::selects)
      return extent_of(without(claim_.graph.axes_of(step.operands.front().name), step.axes));
    const bool grouped = stage.axes == StageAxes::group;
    return extent_of(step.axes) /
           (grouped ? static_cast<std::int64_t>(step.number("groups")) : std::int64_t{1});
  }

  std::int64_t gradient_length(const GraphStep& step, const GraphStage& stage) const {
    return stage.form == StageForm::contracts
               ? product_lengths(claim_.graph, claim_.extents, step).first
               : value_length(step, stage);
  }

  const GraphClaim& claim_;
  std::string_view tensor_;
  bool is_output_;
};

}  // namespace

std::vector<GraphSum> sums_behind(const GraphClaim& claim, std::string_view tensor) {
  SumsBehind sums(claim, tensor);
  for (const GraphStep& step : claim.graph.steps)
    if (has_sums(sum_rows().front(), graph_stage(step.stage))) sums.add(step);
  return std::move(sums.all);
}

GraphContract with_open_sums(const GraphClaim& claim, SumOrder order) {
  GraphContract contract = claim.contract;
  const auto set = [&](StepContract& step) {
    for (SumOrder& sum : step.sums)
      if (sum.kind == SumOrder::Kind::any) sum = order;
  };
  set(contract.every);
  for (auto& [value, step] : contract.steps) set(step);
  return contract;
}

}  // namespace gradproof
