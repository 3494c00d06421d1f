// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/graph_claim.h"

#include <algorithm>

#include "core/graph/labels.h"
#include "oracles/graph/plan/moves.h"

namespace gradproof {
namespace {

double as_double(double v) { return v; }
double as_float(double v) { return static_cast<double>(static_cast<float>(v)); }

}  // namespace

Shape GraphClaim::shape_of(std::string_view name) const {
  Shape shape;
  for (const std::string& axis : graph.axes_of(name)) shape.push_back(extents.at(axis));
  return shape;
}

double GraphClaim::longest_chain() const {
  double most = 1;
  for (const GraphStep& s : graph.steps)
    most = std::max(most, static_cast<double>(numel(shape_of(s.value))));
  for (const GraphTensor& t : graph.tensors)
    most = std::max(most, static_cast<double>(numel(shape_of(t.name))));
  return most * static_cast<double>(graph.steps.size()) + 1;
}

bool GraphClaim::has_closed_form(const PlanStep& scale) const {
  return contract.forms(*scale.step, FormPart::scale_gradient) == FormSet{kClosedForm};
}

GraphPlan GraphClaim::plan(std::int64_t length) const {
  GraphPlan plan{graph, extents, length,
                 contract.accumulation == DType::f64 ? as_double : as_float};
  plan.add_statistics(statistics);
  plan.first_of_ties = first_of_ties;
  for (PlanStep& s : plan.steps)
    if (s.scaled_by >= 0 && !has_closed_form(plan.steps[static_cast<std::size_t>(s.scaled_by)]))
      s.scaled_by = -1;
  const FormRow& weighting = form_row(FormPart::weighting);
  for (PlanStep& s : plan.steps)
    s.weighted_after = weighting.is_of(s.step->stage) && s.operands.size() > 1 &&
                       !contract.forms(*s.step, FormPart::weighting).has(0);
  return plan;
}

std::vector<MovedNumbers> chosen_numbers(const GraphPlan& plan, const Tensors& inputs) {
  GraphExtents extents;  // no block is cut from an axis along which labels choose
  for (const PlanValue& value : plan.values)
    for (std::size_t k = 0; k < value.axes.size(); ++k) extents[value.axes[k]] = value.extents[k];
  std::vector<MovedNumbers> all;
  for (const PlanStep& s : plan.steps) {
    MovedNumbers& chosen = all.emplace_back();
    if (!s.row->takes_labels()) continue;
    const std::string& name = s.step->operands[s.row->labels()].name;
    const Tensor& labels = get(inputs, name);
    const LabelRange range = label_range(*plan.graph, *s.step, extents);
    refuse_wrong_labels(name, labels, range);
    chosen = numbers_by_labels(s, plan.values, labels, range);
  }
  return all;
}

}  // namespace gradproof
