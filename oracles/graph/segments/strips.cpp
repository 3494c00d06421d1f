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

bool has_strips(const Graph& graph, const std::string& axis, const std::string& channels,
                bool may_share) {
  const auto in_strips = [&](const GraphTensor& t) {
    return (may_share && t.axes.empty()) || has_strips(t.axes, axis, channels);
  };
  return std::all_of(graph.tensors.begin(), graph.tensors.end(), in_strips) &&
         std::all_of(graph.steps.begin(), graph.steps.end(), [&](const GraphStep& s) {
           return has_strips(s.value_axes, axis, channels) &&
                  (is_group_norm(s) || has_name(free_axes(graph, s), channels));
         });
}

std::int64_t groups_of(const GraphStep& s) { return static_cast<std::int64_t>(s.number("groups")); }

/// The groups that all of the graph's group_norms have in common, along which it can be cut; 1 if
/// there are none. With `may_share` tensors of one number belong to all of them.
std::int64_t common_groups(const GraphClaim& claim, const std::string& axis, bool may_share) {
  const std::string channels = grouped_axis(claim.graph);
  if (axis.empty() || channels.empty() || !has_strips(claim.graph, axis, channels, may_share))
    return 1;
  std::int64_t groups = 0;
  for (const GraphStep& s : claim.graph.steps)
    if (is_group_norm(s)) groups = std::gcd(groups, groups_of(s));
  return groups;
}

/// The strips, if a strip's blocks are cut from the same axis; else 1.
std::int64_t cut_alike(const GraphClaim& claim, const std::string& axis, std::int64_t strips) {
  if (strips == 1) return 1;
  const GraphClaim strip = strip_of(claim, strips);
  return block_axis(strip.graph, strip.extents) == axis ? strips : 1;
}

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
  const std::int64_t groups = common_groups(claim, axis, false);
  if (groups == 1) return 1;
  const std::int64_t packed = kPacksOfBlock * kNumbersOfPack;
  const std::int64_t length = std::clamp<std::int64_t>(claim.extents.at(axis), 1, packed);
  const std::int64_t widest = widest_number(claim, axis);
  std::int64_t strips = 1;
  for (std::int64_t k = 1; k <= groups && widest / strips > kBlockElements / length; ++k)
    if (groups % k == 0) strips = k;
  return cut_alike(claim, axis, strips);
}

std::int64_t most_strips_of(const GraphClaim& claim, const std::string& axis) {
  return cut_alike(claim, axis, common_groups(claim, axis, true));
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
