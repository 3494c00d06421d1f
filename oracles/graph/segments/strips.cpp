// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/strips.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/graph/graph_parts.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

/// The least count of packs of numbers along the axis that a block shall have.
constexpr std::int64_t kPacksOfBlock = 8;

bool is_group_norm(const GraphStep& s) { return s.stage == "group_norm"; }

/// The axis of the channels that every group_norm groups; empty: there is none, or two.
std::string grouped_axis(const Graph& graph) {
  std::string grouped;
  for (const GraphStep& s : graph.steps) {
    if (!is_group_norm(s)) continue;
    if (!grouped.empty() && grouped != s.axes.front()) return "";
    grouped = s.axes.front();
  }
  return grouped;
}

/// True if a strip of the channels is one piece of each number along `axis`, or of the whole.
bool has_strips(const Axes& axes, const std::string& axis, const std::string& channels) {
  const std::size_t at = !axes.empty() && axes.front() == axis ? 1 : 0;
  return at < axes.size() && axes[at] == channels && (at == 1 || !has_name(axes, axis));
}

bool has_strips(const Graph& graph, const std::string& axis, const std::string& channels) {
  return std::all_of(graph.tensors.begin(), graph.tensors.end(),
                     [&](const GraphTensor& t) { return has_strips(t.axes, axis, channels); }) &&
         std::all_of(graph.steps.begin(), graph.steps.end(), [&](const GraphStep& s) {
           return has_strips(s.value_axes, axis, channels) &&
                  (is_group_norm(s) || has_name(free_axes(graph, s), channels));
         });
}

std::int64_t groups_of(const GraphStep& s) { return static_cast<std::int64_t>(s.number("groups")); }

}  // namespace

std::int64_t widest_number(const GraphClaim& claim, const std::string& axis) {
  const std::int64_t whole = std::max<std::int64_t>(claim.extents.at(axis), 1);
  std::int64_t widest = 1;
  for (const GraphStep& s : claim.graph.steps)
    widest = std::max(widest, numel(claim.shape_of(s.value)) / whole);
  // A tensor that a step reduces may be wider than every step's value.
  for (const GraphTensor& t : claim.graph.tensors)
    if (has_name(t.axes, axis)) widest = std::max(widest, numel(claim.shape_of(t.name)) / whole);
  return widest;
}

std::int64_t strips_of(const GraphClaim& claim, const std::string& axis) {
  const std::string channels = grouped_axis(claim.graph);
  if (axis.empty() || channels.empty() || !has_strips(claim.graph, axis, channels)) return 1;
  std::int64_t groups = 0;  // that all of them have
  for (const GraphStep& s : claim.graph.steps)
    if (is_group_norm(s)) groups = std::gcd(groups, groups_of(s));
  const std::int64_t packed = kPacksOfBlock * kNumbersOfPack;
  const std::int64_t length = std::clamp<std::int64_t>(claim.extents.at(axis), 1, packed);
  const std::int64_t widest = widest_number(claim, axis);
  std::int64_t strips = 1;
  for (std::int64_t k = 1; k <= groups && widest / strips > kBlockElements / length; ++k)
    if (groups % k == 0) strips = k;
  const GraphClaim strip = strip_of(claim, strips);
  return block_axis(strip.graph, strip.extents) == axis ? strips : 1;
}

GraphClaim strip_of(const GraphClaim& claim, std::int64_t strips) {
  GraphClaim strip = claim;
  strip.extents.at(grouped_axis(claim.graph)) /= strips;
  for (GraphStep& s : strip.graph.steps)
    if (is_group_norm(s))
      s.options.insert_or_assign("groups", std::to_string(groups_of(s) / strips));
  return strip;
}

}  // namespace gradproof
