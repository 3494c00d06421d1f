// SPDX-License-Identifier: Apache-2.0
#include "core/graph/axes/operand_axes.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/axes/convolution.h"

namespace gradproof {

std::vector<std::string> axes_for(const StageOperand& place, const GraphStep& step,
                                  const std::vector<std::string>& first) {
  const auto tail = [&](std::ptrdiff_t count) {
    return std::vector<std::string>(first.end() - std::min(count, std::ssize(first)), first.end());
  };
  switch (place.axes) {
    case OperandAxes::first:
    case OperandAxes::some:
      return first;
    case OperandAxes::channel:
      return first.empty() ? first : std::vector<std::string>{first[first.size() > 1 ? 1 : 0]};
    case OperandAxes::over:
      return step.axes;
    case OperandAxes::labels:
      return {first.begin(), first.end() - 1};
    case OperandAxes::tail:
      return tail(2);
    case OperandAxes::matrix:
      return {"out", first.back()};
    case OperandAxes::made:
      return {"out"};
    case OperandAxes::any:
      return {};
    case OperandAxes::others: {
      std::vector<std::string> others = first;
      std::erase_if(others, [&](const std::string& axis) { return has_name(step.axes, axis); });
      return others;
    }
    case OperandAxes::filter:
      return filter_axes(step, first);
  }
  return first;
}

std::vector<std::string> axes_of_product(const GraphStep& step,
                                         const std::vector<std::string>& first,
                                         const std::vector<std::string>& second) {
  std::vector<std::string> axes = first;
  for (const std::string& axis : second)
    if (!has_name(first, axis)) axes.push_back(axis);
  std::erase_if(axes, [&](const std::string& axis) { return has_name(step.axes, axis); });
  return axes;
}

ProductAxes product_axes(const Graph& graph, const GraphStep& step) {
  const auto& first = graph.axes_of(step.operands[0].name);
  const auto& second = graph.axes_of(step.operands[1].name);
  ProductAxes all{step.axes};
  for (const std::string& axis : step.value_axes) {
    if (!has_name(second, axis)) all.of_first.push_back(axis);
    if (!has_name(first, axis)) all.of_second.push_back(axis);
  }
  return all;
}

std::string einsum_equation(const Graph& graph, const GraphStep& step) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::vector<std::string> known;
  const auto letters = [&](const std::vector<std::string>& axes) {
    std::string text;
    for (const std::string& axis : axes) {
      const auto at = static_cast<std::size_t>(std::ranges::find(known, axis) - known.begin());
      if (at == known.size()) known.push_back(axis);
      if (at >= kLetters.size())
        throw UsageError(fmt::format("{} has more than {} axes", step.stage, kLetters.size()));
      text += kLetters[at];
    }
    return text;
  };
  const std::string first = letters(graph.axes_of(step.operands[0].name));
  const std::string second = letters(graph.axes_of(step.operands[1].name));
  return fmt::format("{},{}->{}", first, second, letters(step.value_axes));
}

std::vector<std::string> operand_names(const Graph& graph) {
  std::vector<std::string> names;
  const GraphStep* last = nullptr;
  const auto add = [&](const GraphStep& s) {
    for (const GraphOperand& o : s.operands)
      if (!o.is_number()) names.push_back(o.name);
  };
  for (const GraphStep& s : graph.steps) {
    const GraphStep* const call = graph.call_of(s);
    if (call != nullptr && call != last) add(*call);
    last = call;
    add(s);
  }
  return names;
}

bool is_axis(const Graph& graph, std::string_view name) {
  return std::ranges::any_of(graph.axes, [&](const GraphAxis& a) { return a.name == name; });
}

std::vector<std::string> axis_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphAxis& axis : graph.axes) names.push_back(axis.name);
  for (const GraphTensor& t : graph.tensors)
    names.insert(names.end(), t.axes.begin(), t.axes.end());
  return names;
}

std::vector<std::string> made_distinct(const std::vector<std::string>& axes) {
  std::vector<std::string> distinct;
  for (const std::string& axis : axes) {
    std::string name = axis;
    const auto is_taken = [&] {
      return has_name(distinct, name) || (name != axis && has_name(axes, name));
    };
    for (int k = 2; is_taken(); ++k) name = axis + std::to_string(k);
    distinct.push_back(name);
  }
  return distinct;
}

std::vector<std::string> default_axes(const GraphStage& row,
                                      const std::vector<std::string>& first) {
  const auto channel = first.begin() + (first.size() > 1 ? 1 : 0);
  std::vector<std::string> axes;
  switch (row.axes) {
    case StageAxes::none:
    case StageAxes::said:
      break;
    case StageAxes::last:
      axes = {first.back()};
      break;
    case StageAxes::rest:
      axes = {first.begin(), channel};
      axes.insert(axes.end(), channel + 1, first.end());
      break;
    case StageAxes::spatial:
      axes = {channel + 1, first.end()};
      break;
    case StageAxes::group:
      axes = {channel, first.end()};
      break;
  }
  return axes;
}

bool has_fixed_axes(const GraphStage& row) {
  return row.form == StageForm::selects || row.form == StageForm::turns ||
         (row.form == StageForm::normalises && row.axes == StageAxes::spatial);
}

std::vector<std::string> joined_axes(const std::vector<std::string>& one,
                                     const std::vector<std::string>& other) {
  const bool swapped = other.size() > one.size();
  std::vector<std::string> wide = swapped ? other : one;
  for (const std::string& axis : swapped ? one : other)
    if (!has_name(wide, axis)) wide.push_back(axis);
  return wide;
}

std::string root_axis(const Graph& graph, const std::string& axis) {
  for (const GraphAxis& a : graph.axes)
    if (a.name == axis) return a.from.empty() ? axis : root_axis(graph, a.from);
  return axis;
}

std::string axis_among(const Graph& graph, const std::vector<std::string>& axes,
                       const std::string& name) {
  if (has_name(axes, name)) return name;
  for (const std::string& axis : axes)
    if (root_axis(graph, axis) == name) return axis;
  return name;
}

bool comes_from_axis(const Graph& graph, const std::string& name, const std::string& axis) {
  for (const GraphTensor& t : graph.tensors)
    if (t.name == name)
      return std::any_of(t.axes.begin(), t.axes.end(),
                         [&](const std::string& own) { return root_axis(graph, own) == axis; });
  for (const GraphStep& s : graph.steps)
    if (s.value == name && !(graph_stage(s.stage).moves() && has_name(s.axes, axis)))
      return std::any_of(s.operands.begin(), s.operands.end(), [&](const GraphOperand& o) {
        return !o.is_number() && comes_from_axis(graph, o.name, axis);
      });
  return false;
}

std::int64_t taps_of_window(const GraphStep& step) {
  std::int64_t taps = 1;
  for (std::size_t k = 0; k < step.axes.size(); ++k) taps *= step.number_along("window", k);
  return taps;
}

GraphAxis successor(const GraphStep& step, const std::string& axis) {
  const auto k = static_cast<std::size_t>(std::ranges::find(step.axes, axis) - step.axes.begin());
  const auto options = graph_stage(step.stage).options;
  const auto is_dilation = [](const StageOption& o) { return o.key == kDilation; };
  const std::int64_t window = step.number_along("window", k);
  const std::int64_t stride = step.number_along(kStride, k);
  return {
      .name = axis + "." + step.value,
      .rule = AxisRule::window,
      .from = axis,
      .window = window,
      .stride = stride > 0 ? stride : window,
      .padding = step.number_along(kPadding, k),
      .dilation = std::ranges::any_of(options, is_dilation) ? step.number_along(kDilation, k) : 1};
}

}  // namespace gradproof
