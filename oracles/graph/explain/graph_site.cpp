// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/graph_site.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/graph_parts.h"

namespace gradproof {
namespace {

/// Adds the coordinates that windows lead to, until there are no more.
void follow_windows(const GraphClaim& claim, GraphExtents& known) {
  for (std::size_t before = 0; before != known.size();) {
    before = known.size();
    for (const GraphAxis& axis : claim.graph.axes) {
      if (axis.from.empty()) continue;
      const auto clamped = [&](const std::string& name, std::int64_t at) {
        return std::clamp<std::int64_t>(at, 0, claim.extents.at(name) - 1);
      };
      const auto wide = known.find(axis.from);
      const auto narrow = known.find(axis.name);
      if (wide != known.end() && narrow == known.end())
        known[axis.name] = clamped(axis.name, (wide->second + axis.padding) / axis.stride);
      if (wide == known.end() && narrow != known.end())
        known[axis.from] = clamped(axis.from, narrow->second * axis.stride - axis.padding);
    }
  }
}

}  // namespace

GraphElement::GraphElement(const GraphClaim& claim, std::string_view target, std::int64_t index)
    : gradient(!has_name(claim.graph.outputs, target)),
      cut(block_axis(claim.graph, claim.extents)) {
  const std::string name(gradient ? target.substr(gradient_name("").size()) : target);
  std::vector<std::string> names;
  for (const GraphTensor& t : claim.graph.tensors) names.push_back(t.name);
  for (const GraphStep& s : claim.graph.steps) names.push_back(s.value);
  place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  const std::vector<std::string>& axes = claim.graph.axes_of(name);
  sliced = has_name(axes, cut);
  for (std::size_t k = axes.size(); k-- > 0;) {
    const std::int64_t extent = claim.extents.at(axes[k]);
    coordinates[axes[k]] = index % extent;
    index /= extent;
  }
  follow_windows(claim, coordinates);
}

GraphSite::GraphSite(const GraphClaim& claim, const Tensors& inputs, const GraphElement& element,
                     std::int64_t first, std::int64_t length)
    : element_(element),
      plan_(claim.plan(length)),
      block_{
          element.cut, {first, length, element.cut.empty() ? 1 : claim.extents.at(element.cut)}, 1},
      numbers_(plan_, inputs, block_) {}

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

std::string GraphSite::name_at(const PlanValue& value) const {
  std::vector<std::int64_t> index = index_at(value);
  for (std::size_t k = 0; k < index.size(); ++k)
    if (value.axes[k] == block_.axis) index[k] += block_.block.first;
  return fmt::format("{}[{}]", value.name, fmt::join(index, ","));
}

}  // namespace gradproof
