// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/norms.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace gradproof {

void require_fitting_groups(const PlanStep& s) {
  if (s.row->form == StageForm::turns && s.groups.length % 2 != 0)
    throw UsageError(fmt::format("{} turns the two halves of axis '{}', whose extent is odd: {}",
                                 s.step->stage, s.step->axes.back(), s.groups.length));
  if (s.step->stage != "running_var" && s.step->stage != "var") return;
  const double correction = s.step->number("correction");
  if (static_cast<double>(s.groups.length) <= correction)
    throw UsageError(fmt::format("{} divides by N - {}, and N is {} over [{}]", s.step->stage,
                                 correction, s.groups.length, fmt::join(s.step->axes, ",")));
}

std::int64_t groups_of(const GraphStep& step, const PlanValue& value) {
  if (step.stage != "group_norm") return 1;
  const auto groups = static_cast<std::int64_t>(step.number("groups"));
  const auto axis = std::find(value.axes.begin(), value.axes.end(), step.axes.front());
  const std::int64_t extent = value.extents[static_cast<std::size_t>(axis - value.axes.begin())];
  if (groups < 1 || extent % groups != 0)
    throw UsageError(
        fmt::format("groups={} do not divide axis '{}' of {}", groups, step.axes.front(), extent));
  return groups;
}

void find_scale_in_front(std::vector<PlanStep>& steps, const Graph& graph) {
  PlanStep& norm = steps.back();
  const auto takes = [&](const GraphStep& s) {
    return s.takes(norm.step->operands.front().name) && !graph_stage(s.stage).detached;
  };
  if (norm.row->statistics != StageStatistics::own ||
      std::count_if(graph.steps.begin(), graph.steps.end(), takes) != 1 ||
      has_name(graph.outputs, norm.step->operands.front().name))
    return;
  for (std::size_t k = 0; k + 1 < steps.size(); ++k) {
    const GraphStep& scale = *steps[k].step;
    if (scale.value != norm.step->operands.front().name) continue;
    if (scale.stage != "scale" && scale.stage != "multiply") continue;
    if (scale.operands[0].is_number() || scale.operands[1].is_number()) continue;
    const std::vector<std::string>& of_scale = graph.axes_of(scale.operands[1].name);
    if (std::none_of(of_scale.begin(), of_scale.end(),
                     [&](const std::string& axis) { return has_name(norm.step->axes, axis); }))
      norm.scaled_by = static_cast<int>(k);
  }
}

int first_with_groups(const std::vector<PlanStep>& before, const PlanStep& s) {
  const auto found = std::find_if(before.begin(), before.end(), [&](const PlanStep& other) {
    return s.groups.count > 0 && other.operands.front() == s.operands.front() &&
           other.groups.of == s.groups.of;
  });
  return static_cast<int>(found - before.begin());
}

namespace {

/// One number for each group of the step, in the order of Grouping.
PlanValue one_for_each_group(const PlanStep& s, const PlanValue& space) {
  PlanValue value;
  for (std::size_t k = 0; k < space.axes.size(); ++k) {
    const std::string& axis = space.axes[k];
    const bool coupled = has_name(s.step->axes, axis);
    if (!coupled) {
      value.axes.push_back(axis);
      value.extents.push_back(space.extents[k]);
    } else if (s.step->stage == "group_norm" && axis == s.step->axes.front()) {
      value.axes.push_back("groups of " + axis);
      value.extents.push_back(static_cast<std::int64_t>(s.step->number("groups")));
    }
  }
  return value;
}

void place_in_block(PlanValue& value, const std::string& cut) {
  value.sliced = has_name(value.axes, cut);
  value.count = 1;
  bool behind = false;
  for (std::size_t k = 0; k < value.axes.size(); ++k) {
    value.count *= value.extents[k];
    if (value.axes[k] == cut)
      behind = true;
    else if (value.sliced)
      (behind ? value.inner : value.outer) *= value.extents[k];
  }
}

}  // namespace

void GraphPlan::add_statistics(const std::vector<NormStatistic>& all) {
  for (const NormStatistic& one : all) {
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const PlanStep& s) { return s.step->value == one.norm; });
    if (found == steps.end()) continue;
    const bool own = found->row->statistics == StageStatistics::own;
    PlanValue value =
        own ? one_for_each_group(*found, values[static_cast<std::size_t>(found->operands.front())])
            : values[static_cast<std::size_t>(found->operands[1])];
    if (own) place_in_block(value, block_axis_name);
    value.name = one.name;
    statistics.push_back({value, static_cast<std::size_t>(found - steps.begin()), one.is_rstd});
  }
}

}  // namespace gradproof
