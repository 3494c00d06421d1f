// SPDX-License-Identifier: Apache-2.0
#include "core/graph/axes/convolution.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

/// The place of the value's channels among the axes of the weight.
std::size_t place_of_channels(const GraphStep& step) {
  return graph_stage(step.stage).widens ? 1 : 0;
}

}  // namespace

std::int64_t channel_groups(const GraphStep& step) {
  return static_cast<std::int64_t>(step.number(kChannelGroups));
}

std::vector<std::string> filter_axes(const GraphStep& step, const std::vector<std::string>& first) {
  const bool widens = graph_stage(step.stage).widens;
  Axes axes;
  // A name that x has not; behind windows it begins with what stands before the value's name.
  const auto add = [&](const std::string& base) {
    std::string name = base;
    for (int k = 2; has_name(first, name) || has_name(axes, name); ++k)
      name = base + std::to_string(k);
    axes.push_back(name);
  };
  const bool has_channel = channel_groups(step) == 1 || widens;
  if (widens) axes.push_back(first[1]);
  add("out");
  if (!widens && has_channel) axes.push_back(first[1]);
  if (!has_channel) add("in");
  for (std::size_t k = 2; k < first.size(); ++k) {
    const std::size_t dots = static_cast<std::size_t>(std::ranges::count(first[k], '.'));
    const std::string base = "k" + first[k].substr(0, first[k].find('.'));
    if (dots == 0)
      add(base);
    else
      axes.push_back(base + std::to_string(dots + 1));
  }
  return axes;
}

std::string fault_of_filter(const GraphStep& step, const std::vector<std::string>& first,
                            const std::vector<std::string>& filter) {
  const bool widens = graph_stage(step.stage).widens;
  const Axes wanted = filter_axes(step, first);
  bool fits = filter.size() == wanted.size();
  for (std::size_t k = 0; fits && k < filter.size(); ++k)
    fits = wanted[k] == first[1] ? filter[k] == first[1] : !has_name(first, filter[k]);
  if (fits) return "";
  return fmt::format("'{}' of {} has [{}], wanted are [{}]{}", step.operands[1].name, step.stage,
                     fmt::join(filter, ","), fmt::join(wanted, ","),
                     channel_groups(step) > 1 && !widens
                         ? ", '" + wanted[1] + "' being the channels of one group"
                         : "");
}

ConvolutionAxes convolution_axes(const GraphStep& step, const std::vector<std::string>& first,
                                 const std::vector<std::string>& filter) {
  const bool widens = graph_stage(step.stage).widens;
  const std::int64_t groups = channel_groups(step);
  ConvolutionAxes axes{filter[place_of_channels(step)]};
  if (widens && groups > 1) {
    // (extent - 1) groups + groups numbers: each group's channels.
    axes.made.push_back({.name = axes.channel + "." + step.value,
                         .rule = AxisRule::window,
                         .from = axes.channel,
                         .window = groups,
                         .stride = groups,
                         .is_wider = true});
    axes.channel = axes.made.back().name;
  }
  for (std::size_t k = 2; k < first.size(); ++k)
    axes.made.push_back({.name = first[k] + "." + step.value,
                         .rule = AxisRule::window,
                         .from = first[k],
                         .stride = step.number_along(kStride, k - 2),
                         .padding = step.number_along(kPadding, k - 2),
                         .dilation = step.number_along(kDilation, k - 2),
                         .window_axis = filter[k],
                         .is_wider = widens,
                         .more = widens ? step.number_along(kMorePadding, k - 2) : 0});
  return axes;
}

ProductLengths product_lengths(const Graph& graph, const GraphExtents& extents,
                               const GraphStep& step) {
  const auto count = [&](const Axes& axes, std::size_t from = 0) {
    std::int64_t all = 1;
    for (std::size_t k = from; k < axes.size(); ++k) all *= extents.at(axes[k]);
    return all;
  };
  const GraphStage& row = graph_stage(step.stage);
  if (!row.convolves()) {
    const ProductAxes axes = product_axes(graph, step);
    return {count(axes.summed), count(axes.of_second), count(axes.of_first)};
  }
  const Axes& first = graph.axes_of(step.operands[0].name);
  const Axes& filter = graph.axes_of(step.operands[1].name);
  const std::int64_t groups = channel_groups(step);
  // Numbers that lie in windows at every stride-th place are in one tap of so many.
  std::int64_t taps = 1;
  for (std::size_t k = 2; k < filter.size(); ++k) {
    const std::int64_t stride = step.number_along(kStride, k - 2);
    const std::int64_t apart = stride / std::gcd(stride, step.number_along(kDilation, k - 2));
    taps *= (extents.at(filter[k]) + apart - 1) / apart;
  }
  const std::int64_t outs = extents.at(filter[row.widens ? 1 : 0]) / (row.widens ? 1 : groups);
  const std::int64_t ins = extents.at(filter[row.widens ? 0 : 1]) / (row.widens ? groups : 1);
  const Axes& narrow = row.widens ? first : step.value_axes;
  const std::int64_t windows = extents.at(first[0]) * count(narrow, 2);
  if (row.widens) return {ins * taps, outs * count(filter, 2), windows};
  return {ins * count(filter, 2), outs * taps, windows};
}

std::int64_t terms_of_gradient(const Graph& graph, const GraphExtents& extents,
                               const GraphStep& step, std::size_t operand) {
  if (operand == 1) return product_lengths(graph, extents, step).second;
  const Axes& bias = graph.axes_of(step.operands[operand].name);
  std::int64_t terms = 1;
  for (const std::string& axis : step.value_axes)
    if (!has_name(bias, axis)) terms *= extents.at(axis);
  return terms;
}

}  // namespace gradproof
