// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/graph_parts.h"
#include "oracles/graph/plan/moves.h"
#include "oracles/graph/plan/norms.h"
#include "oracles/graph/plan/products.h"
#include "oracles/graph/plan/shapes.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

/// Elements that agree in all axes but `over`; with groups > 1 the first of these is cut into so
/// many.
Grouping grouping_of(const PlanValue& value, const Axes& over, std::int64_t groups) {
  Grouping result;
  std::vector<std::int64_t> counts;  // of groups along each axis
  std::vector<std::int64_t> widths;  // elements of an axis in one of them
  for (std::size_t k = 0; k < value.axes.size(); ++k) {
    const bool coupled = has_name(over, value.axes[k]);
    const bool cut = groups > 1 && value.axes[k] == over.front();
    counts.push_back(cut ? groups : coupled ? 1 : value.extents[k]);
    widths.push_back(cut       ? value.extents[k] / groups
                     : coupled ? std::max<std::int64_t>(1, value.extents[k])
                               : 1);
  }
  result.count = product_of(counts);
  result.length = result.count > 0 ? value.count / result.count : 0;
  result.of.resize(static_cast<std::size_t>(value.count));
  each_element(value, [&](std::int64_t i, const std::vector<std::int64_t>& index) {
    std::int64_t group = 0;
    for (std::size_t k = 0; k < index.size(); ++k) group = group * counts[k] + index[k] / widths[k];
    result.of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(group);
  });
  result.members.resize(result.of.size());
  std::vector<std::int64_t> next(static_cast<std::size_t>(result.count));
  for (std::int64_t g = 0; g < result.count; ++g)
    next[static_cast<std::size_t>(g)] = g * result.length;
  for (std::size_t i = 0; i < result.of.size(); ++i) {
    std::int64_t& at = next[static_cast<std::size_t>(result.of[i])];
    result.members[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(i);
  }
  return result;
}

/// The elements of one channel in a group of a group_norm; 1 of other steps.
std::int64_t inner_of(const PlanStep& s, const PlanValue& space, std::int64_t groups) {
  if (s.step->stage != "group_norm" || s.groups.length == 0) return 1;
  std::int64_t channels = 1;
  for (std::size_t k = 0; k < space.axes.size(); ++k)
    if (space.axes[k] == s.step->axes.front()) channels = space.extents[k] / groups;
  return s.groups.length / std::max<std::int64_t>(1, channels);
}

/// The elements of the operand below each place of the window; padding has none.
void find_windows(PlanStep& s, const Graph& graph, const PlanValue& in, const PlanValue& out) {
  std::vector<GraphAxis> slid;
  for (const std::string& name : out.axes)
    for (const GraphAxis& axis : graph.axes)
      if (axis.name == name) slid.push_back(axis);
  const auto couples = [&](std::size_t k) { return slid[k].name != in.axes[k]; };
  s.window_first = {0};
  for (std::size_t k = 0; k < slid.size(); ++k)
    if (couples(k)) s.window_size *= slid[k].window;
  each_element(out, [&](std::int64_t, const std::vector<std::int64_t>& index) {
    std::vector<std::int64_t> places{0};
    for (std::size_t k = 0; k < index.size(); ++k) {
      const std::int64_t stride = stride_of(in, in.axes[k]);
      const std::int64_t first =
          couples(k) ? index[k] * slid[k].stride - slid[k].padding : index[k];
      const std::int64_t width = couples(k) ? slid[k].window : 1;
      std::vector<std::int64_t> next;
      for (const std::int64_t place : places)
        for (std::int64_t tap = 0; tap < width; ++tap) {
          const std::int64_t at = first + tap * (couples(k) ? slid[k].dilation : 1);
          if (at >= 0 && at < in.extents[k]) next.push_back(place + at * stride);
        }
      places = std::move(next);
    }
    for (const std::int64_t place : places) s.window.push_back(static_cast<std::int32_t>(place));
    s.window_first.push_back(static_cast<std::int32_t>(s.window.size()));
  });
}

}  // namespace

GraphPlan::GraphPlan(const Graph& of, const GraphExtents& whole, std::int64_t length,
                     double (*scalar_rounding)(double))
    : graph(&of), scalar(scalar_rounding) {
  const std::string cut = block_axis_name = block_axis(of, whole);
  if (!cut.empty()) block_length = length;
  const auto add = [&](const std::string& name, const Axes& axes) {
    PlanValue value{name, axes, {}, 0, has_name(axes, cut)};
    for (const std::string& axis : axes)
      value.extents.push_back(axis == cut ? length : whole.at(axis));
    value.count = product_of(value.extents);
    for (std::size_t k = axes.size(); value.sliced && axes[--k] != cut;)
      value.inner *= value.extents[k];
    for (std::size_t k = 0; value.sliced && axes[k] != cut; ++k) value.outer *= value.extents[k];
    values.push_back(value);
  };
  for (const GraphTensor& t : of.tensors) add(t.name, t.axes);
  for (const GraphStep& s : of.steps) add(s.value, s.value_axes);
  const auto place_of = [&](const std::string& name) {
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k].name == name) return static_cast<int>(k);
    throw InstrumentError("no tensor and no value '" + name + "'");
  };
  for (const GraphStep& step : of.steps) {
    PlanStep s;
    s.step = &step;
    s.row = &graph_stage(step.stage);
    s.value = place_of(step.value);
    const PlanValue& value = values[static_cast<std::size_t>(s.value)];
    for (const GraphOperand& o : step.operands) {
      s.operands.push_back(o.is_number() ? -1 : place_of(o.name));
      s.numbers.push_back(scalar(o.number));
    }
    const bool elementwise = s.row->form == StageForm::elementwise;
    const PlanValue& space =
        elementwise ? value : values[static_cast<std::size_t>(s.operands.front())];
    s.space = space.count;
    for (const int operand : s.operands)
      s.maps.push_back(operand < 0 ? IndexMap()
                                   : map_between(space, values[static_cast<std::size_t>(operand)]));
    const std::size_t shared = elementwise ? 0 : 1;
    if (shared < step.operands.size() && !step.operands[shared].is_number())
      for (const std::string& axis : space.axes)
        if (!has_name(of.axes_of(step.operands[shared].name), axis)) s.summed *= whole.at(axis);
    if (s.row->moves() && !s.row->takes_labels()) s.moved = moved_numbers(s, values, whole);
    if (s.row->form == StageForm::slides) {
      find_windows(s, of, space, value);
    } else if (s.row->form == StageForm::contracts) {
      add_products(s, values, whole);
    } else if (!elementwise && !s.row->moves()) {
      s.out = map_between(space, value);
      const std::int64_t groups = groups_of(step, space);
      s.groups = grouping_of(space, step.axes, groups);
      s.inner = inner_of(s, space, groups);
    }
    require_fitting_groups(s);
    s.same_groups = first_with_groups(steps, s);
    steps.push_back(std::move(s));
    find_scale_in_front(steps, of);
  }
  for (const std::string& output : of.outputs) outputs.push_back(place_of(output));
}

namespace {

bool inside_group(const PlanStep& owner, const Axes& summed) {
  Axes over = owner.step->axes;
  if (owner.step->stage == "group_norm") over.erase(over.begin());
  return std::all_of(summed.begin(), summed.end(),
                     [&](const std::string& axis) { return has_name(over, axis); });
}

}  // namespace

bool GraphPlan::is_moved(int value) const {
  return std::ranges::any_of(steps, [&](const PlanStep& s) {
    return s.value == value && s.row->moves() && !s.row->move.adds && s.row->labels() != 0 &&
           is_made(s.operands.front()) && (s.row->takes_labels() || is_made(s.operands.back()));
  });
}

bool GraphPlan::is_taken(int value, std::size_t before) const {
  const auto first = steps.begin();
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(before), [&](const PlanStep& s) {
    return std::find(s.operands.begin(), s.operands.end(), value) != s.operands.end();
  });
}

std::vector<int> GraphPlan::last_needed_by(std::size_t step) const {
  std::vector<int> all{steps[step].value};
  for (const int operand : steps[step].operands)
    if (operand >= 0 && is_tensor(operand) && !is_taken(operand, step)) all.push_back(operand);
  std::erase_if(all, [&](int value) {
    return std::find(outputs.begin(), outputs.end(), value) != outputs.end();
  });
  return all;
}

const PlanStep& GraphPlan::norm_behind(std::size_t scale) const {
  return *std::find_if(steps.begin(), steps.end(),
                       [&](const PlanStep& s) { return s.scaled_by == static_cast<int>(scale); });
}

bool GraphPlan::stays_shared(int owner, const PlanStep& in_step) const {
  // They add up all rows' numbers, or all channels'.
  if (in_step.row->form == StageForm::selects || in_step.row->convolves()) return false;
  if (in_step.row->moves()) return false;
  return inside_group(steps[static_cast<std::size_t>(owner)], in_step.step->axes);
}

bool GraphPlan::stays_shared(int owner, const PlanStep& of_step, std::size_t operand) const {
  const bool elementwise = of_step.row->form == StageForm::elementwise;
  const int space = elementwise ? of_step.value : of_step.operands.front();
  const PlanValue& to = values[static_cast<std::size_t>(of_step.operands[operand])];
  Axes summed;
  for (const std::string& axis : values[static_cast<std::size_t>(space)].axes)
    if (!has_name(to.axes, axis)) summed.push_back(axis);
  return inside_group(steps[static_cast<std::size_t>(owner)], summed);
}

bool GraphPlan::mixes_shared(const PlanStep& step, int of_cotangent, int of_operands) const {
  const StageForm form = step.row->form;
  if (form == StageForm::normalises || form == StageForm::contracts) return false;
  const bool several = form == StageForm::turns || form == StageForm::slides ||
                       form == StageForm::scans || form == StageForm::sorts;
  return is_foreign(of_cotangent, of_operands) ||
         (several && of_cotangent != kNobody && !stays_shared(of_cotangent, step));
}

}  // namespace gradproof
