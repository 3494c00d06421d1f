// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/graph_site.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/moves.h"
#include "core/graph/graph_parts.h"
#include "oracles/graph/plan/shapes.h"

namespace gradproof {
namespace {

const GraphStep& step_of(const Graph& graph, std::string_view value) {
  return *std::find_if(graph.steps.begin(), graph.steps.end(),
                       [&](const GraphStep& s) { return s.value == value; });
}

/// The norm's statistic of that name; null if there is none.
const NormStatistic* statistic_of(const GraphClaim& claim, std::string_view name) {
  const auto found = std::find_if(claim.statistics.begin(), claim.statistics.end(),
                                  [&](const NormStatistic& s) { return s.name == name; });
  return found == claim.statistics.end() ? nullptr : &*found;
}

/// Adds the coordinates that windows lead to, until there are no more.
void follow_windows(const GraphClaim& claim, GraphExtents& known) {
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (const GraphAxis& axis : claim.graph.axes) {
      if (axis.rule != AxisRule::window) continue;
      const auto clamped = [&](const std::string& name, std::int64_t at) {
        return std::clamp<std::int64_t>(at, 0, claim.extents.at(name) - 1);
      };
      const auto wide = known.find(axis.from);  // of a transposed convolution the narrow one
      const auto narrow = known.find(axis.name);
      const auto of_wide = [&](std::int64_t at) { return (at + axis.padding) / axis.stride; };
      const auto of_narrow = [&](std::int64_t at) { return at * axis.stride - axis.padding; };
      if (wide != known.end() && narrow == known.end())
        known[axis.name] =
            clamped(axis.name, axis.is_wider ? of_narrow(wide->second) : of_wide(wide->second));
      if (wide == known.end() && narrow != known.end())
        known[axis.from] =
            clamped(axis.from, axis.is_wider ? of_wide(narrow->second) : of_narrow(narrow->second));
    }
  }
}

/// Adds the coordinates that a move leads to: from those of its value to those of its first operand
/// along the axes that it works over, or back. Labels lead to none.
void follow_move(const GraphClaim& claim, const GraphStep& s, GraphExtents& known) {
  const auto has_all = [&](const std::vector<std::string>& axes) {
    return std::ranges::all_of(axes, [&](const std::string& axis) { return known.contains(axis); });
  };
  if (!graph_stage(s.stage).moves() || graph_stage(s.stage).takes_labels() || s.axes.empty())
    return;
  const auto source_of = [&](const GraphExtents& at) {
    GraphExtents source;
    for (const std::string& axis : s.made)
      if (const auto along = moved_along(s, 0, claim.extents, axis, at.at(axis)))
        for (const IndexAlong& index : *along) source[index.axis] += index.at;
    for (const IndexAlong& index : moved_always(s, claim.extents)) source[index.axis] += index.at;
    return source;
  };
  if (has_all(s.made)) {
    known.merge(source_of(known));
    return;
  }
  if (!has_all(s.axes)) return;
  std::vector<std::int64_t> extents;
  for (const std::string& axis : s.made) extents.push_back(claim.extents.at(axis));
  bool is_found = false;
  each_index(extents, [&](std::int64_t, const std::vector<std::int64_t>& index) {
    GraphExtents at;
    for (std::size_t k = 0; k < index.size(); ++k) at[s.made[k]] = index[k];
    const GraphExtents source = source_of(at);
    const auto is_known = [&](const auto& one) { return known.at(one.first) == one.second; };
    if (is_found || source.empty() || !std::ranges::all_of(source, is_known)) return;
    is_found = true;
    known.merge(at);
  });
}

/// Adds those that windows and moves lead to, until there are no more.
void follow(const GraphClaim& claim, GraphExtents& known) {
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    follow_windows(claim, known);
    for (const GraphStep& s : claim.graph.steps) follow_move(claim, s, known);
  }
}

GraphInputs inputs_of(const Tensors& tensors, const Tensors* statistics) {
  GraphInputs inputs(tensors);
  inputs.statistics = statistics;
  return inputs;
}

}  // namespace

std::vector<CountedAxis> counted_axes(const GraphClaim& claim, std::string_view name) {
  std::vector<CountedAxis> all;
  const NormStatistic* const statistic = statistic_of(claim, name);
  if (statistic == nullptr) {
    for (const std::string& axis : claim.graph.axes_of(name))
      all.push_back({axis, claim.extents.at(axis)});
    return all;
  }
  const GraphStep& norm = step_of(claim.graph, statistic->norm);
  if (graph_stage(norm.stage).statistics == StageStatistics::given)
    return counted_axes(claim, norm.operands[1].name);
  for (const CountedAxis& axis : counted_axes(claim, norm.operands.front().name)) {
    if (!has_name(norm.axes, axis.name)) all.push_back(axis);
    if (norm.stage != "group_norm" || axis.name != norm.axes.front()) continue;
    const auto groups = static_cast<std::int64_t>(norm.number("groups"));
    all.push_back({axis.name, groups, axis.extent / groups});
  }
  return all;
}

GraphElement::GraphElement(const GraphClaim& claim, std::string_view target, std::int64_t index)
    : gradient(!has_name(claim.graph.outputs, target) && statistic_of(claim, target) == nullptr),
      statistic(statistic_of(claim, target) != nullptr),
      cut(block_axis(claim.graph, claim.extents)) {
  const std::string name(gradient ? tensor_of_gradient(target) : std::string(target));
  std::vector<std::string> names;
  for (const GraphTensor& t : claim.graph.tensors) names.push_back(t.name);
  for (const GraphStep& s : claim.graph.steps) names.push_back(s.value);
  place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  if (statistic)
    place = static_cast<std::size_t>(statistic_of(claim, target) - claim.statistics.data());
  const std::vector<CountedAxis> axes = counted_axes(claim, name);
  for (std::size_t k = axes.size(); k-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(axes[k].extent, 1);
    coordinates[axes[k].name] = index % extent * axes[k].width;
    index /= extent;
  }
  sliced = coordinates.contains(cut);
  follow(claim, coordinates);
}

GraphClaim claim_about(const GraphClaim& claim, const Tensors& inputs, std::string_view target) {
  const Graph& whole = claim.graph;
  std::vector<std::string> outputs;
  std::vector<std::string> needed;
  const NormStatistic* const statistic = statistic_of(claim, target);
  const bool gradient = statistic == nullptr && !has_name(whole.outputs, target);
  for (const std::string& output : whole.outputs)
    if (gradient ? inputs.contains(cotangent_name(output)) : output == target)
      outputs.push_back(output);
  needed = statistic == nullptr ? outputs : std::vector{statistic->norm};
  GraphPart part;
  for (std::size_t k = whole.steps.size(); k-- > 0;) {
    if (!has_name(needed, whole.steps[k].value)) continue;
    part.insert(part.begin(), k);
    for (const GraphOperand& o : whole.steps[k].operands)
      if (!o.is_number()) needed.push_back(o.name);
  }
  GraphClaim about = claim;
  about.graph = part_of(whole, part);
  about.graph.outputs = outputs;
  for (const GraphTensor& t : whole.tensors)  // nothing may go back to it
    if (gradient && gradient_name(t.name) == target && !has_name(needed, t.name))
      about.graph.tensors.push_back(t);
  std::erase_if(about.statistics,
                [&](const NormStatistic& s) { return !has_name(needed, s.norm); });
  return about;
}

GraphSite::GraphSite(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const GraphElement& element, std::int64_t first, std::int64_t length)
    : claim_(claim),
      element_(element),
      inputs_(inputs_of(inputs, element.gradient && !statistics.empty() ? &statistics : nullptr)),
      plan_(claim.plan(length)),
      block_{
          element.cut, {first, length, element.cut.empty() ? 1 : claim.extents.at(element.cut)}, 1},
      numbers_(plan_, inputs_, block_) {}

std::vector<std::int64_t> GraphSite::index_at(const PlanValue& value) const {
  std::vector<std::int64_t> index;
  for (const std::string& axis : value.axes) {
    const auto known = element_.coordinates.find(axis);
    const std::int64_t whole = known == element_.coordinates.end() ? 0 : known->second;
    const bool outside = known == element_.coordinates.end() || axis != block_.axis;
    index.push_back(outside ? whole : whole - block_.block.first);
  }
  return index;
}

std::size_t GraphSite::at(const PlanValue& value) const {
  const std::vector<std::int64_t> index = index_at(value);
  std::int64_t place = 0;
  for (std::size_t k = 0; k < index.size(); ++k) place = place * value.extents[k] + index[k];
  return static_cast<std::size_t>(place);
}

std::size_t GraphSite::at(const PlanStatistic& statistic) const {
  const PlanStep& norm = plan_.steps[statistic.step];
  if (norm.row->statistics == StageStatistics::given)
    return at(plan_.values[static_cast<std::size_t>(norm.operands[1])]);
  const std::size_t number = at(plan_.values[static_cast<std::size_t>(norm.operands.front())]);
  return static_cast<std::size_t>(norm.groups.of[number]);
}

std::string GraphSite::name_at(const PlanStatistic& statistic) const {
  std::vector<std::int64_t> index;
  for (const CountedAxis& axis : counted_axes(claim_, statistic.value.name)) {
    const auto known = element_.coordinates.find(axis.name);
    const std::int64_t first = axis.name == block_.axis ? block_.block.first : 0;
    index.push_back((known == element_.coordinates.end() ? first : known->second) / axis.width);
  }
  return fmt::format("{}[{}]", statistic.value.name, fmt::join(index, ","));
}

std::string GraphSite::name_at(const PlanValue& value) const {
  std::vector<std::int64_t> index = index_at(value);
  for (std::size_t k = 0; k < index.size(); ++k)
    if (value.axes[k] == block_.axis) index[k] += block_.block.first;
  return fmt::format("{}[{}]", value.name, fmt::join(index, ","));
}

}  // namespace gradproof
