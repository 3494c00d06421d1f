// SPDX-License-Identifier: Apache-2.0
#include "core/graph/axes/value_axes.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/convolution.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

/// Why an option has more or fewer numbers than one for all axes, or one for each.
std::string fault_of_lists(const GraphStep& step) {
  for (const auto& [key, value] : step.options) {
    const auto count = static_cast<std::size_t>(std::ranges::count(value, 'x')) + 1;
    if (count > 1 && count != step.axes.size())
      return fmt::format("{}={} of {} has {} numbers, and its axes are [{}]", key, value,
                         step.stage, count, fmt::join(step.axes, ","));
  }
  return "";
}

ValueAxes slid_axes(const GraphStep& step, const Axes& first) {
  ValueAxes found;
  found.fault = fault_of_lists(step);
  for (const std::string& axis : first) {
    if (!has_name(step.axes, axis)) {
      found.axes.push_back(axis);
      continue;
    }
    const GraphAxis next = successor(step, axis);
    if (2 * next.padding > next.window)
      found.fault = fmt::format("padding={} of {} is more than half its window={}", next.padding,
                                step.stage, next.window);
    found.made.push_back(next);
    found.axes.push_back(next.name);
  }
  return found;
}

ValueAxes convolved_axes(const GraphStep& step, const Axes& first, const Axes& filter) {
  const ConvolutionAxes of = convolution_axes(step, first, filter);
  ValueAxes found{{first.front(), of.channel}, of.made, fault_of_lists(step)};
  for (const GraphAxis& made : of.made)
    if (made.name != of.channel) found.axes.push_back(made.name);
  return found;
}

}  // namespace

ValueAxes value_axes(const GraphStep& step, const std::vector<const Axes*>& operands) {
  const GraphStage& row = graph_stage(step.stage);
  Axes first;
  for (const Axes* axes : operands)
    if (axes != nullptr && first.empty()) first = *axes;
  Axes left;
  switch (row.form) {
    case StageForm::elementwise:
      for (const Axes* axes : operands)
        if (axes != nullptr) first = joined_axes(first, *axes);
      return {first};
    case StageForm::normalises:
    case StageForm::turns:
    case StageForm::scans:
    case StageForm::sorts:
      return {first};
    case StageForm::reduces:
      for (const std::string& axis : first)
        if (!has_name(step.axes, axis)) left.push_back(axis);
      return {left};
    case StageForm::slides:
      return slid_axes(step, first);
    case StageForm::selects:
      return {};
    case StageForm::contracts:
      if (row.convolves()) return convolved_axes(step, first, *operands[1]);
      return {axes_of_product(step, first, *operands[1])};
    case StageForm::moves:  // axes_of_move() has them
      return {};
  }
  return {};
}

}  // namespace gradproof
