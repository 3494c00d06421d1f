// SPDX-License-Identifier: Apache-2.0
#include "core/graph/axes/moves.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using namespace move_options;
using Axes = std::vector<std::string>;
using Operands = std::vector<const Axes*>;

std::int64_t whole(const GraphStep& step, std::string_view key) {
  return static_cast<std::int64_t>(step.number(key));
}

/// The axis of the k-th operand that a concat takes.
const std::string& concatenated(const GraphStep& step, std::size_t k) {
  return k == 0 ? step.axes.front() : step.axes.back();
}

std::string successor_name(const GraphStep& step, const std::string& axis) {
  return axis + "." + step.value;
}

/// The axes with others in the place of those that are taken: of the first of them.
Axes replaced(const Axes& axes, const Axes& taken, const Axes& by, bool keeps) {
  Axes all;
  bool is_placed = false;
  for (const std::string& axis : axes) {
    if (keeps || !has_name(taken, axis))
      all.push_back(axis);
    else if (!std::exchange(is_placed, true))
      all.insert(all.end(), by.begin(), by.end());
  }
  return all;
}

/// A flip and a roll leave the axes that they work over; a new axis along which numbers repeat
/// stands in front.
Axes replaced(const GraphStep& step, const Axes& axes, const Axes& by) {
  if (step.stage == "repeat") {
    Axes all = by;
    all.insert(all.end(), axes.begin(), axes.end());
    return all;
  }
  return replaced(axes, step.axes, by, by.empty() && step.stage != "select");
}

/// The axes of the value of a step that takes labels.
Axes axes_by_labels(const GraphStep& step, const Operands& operands) {
  if (step.stage == "count") return {};
  const Axes& first = *operands[0];
  if (step.stage == "put") return replaced(first, *operands[1], step.made, false);
  Axes fresh;
  for (const std::string& axis : *operands[1])
    if (!has_name(first, axis)) fresh.push_back(axis);
  return replaced(first, step.axes, fresh, false);
}

/// Why the labels cannot have their axes; empty where they can.
std::string fault_of_labels(const GraphStep& step, const Operands& operands) {
  if (step.stage == "count") return "";
  const Axes& first = *operands[0];
  const Axes& labels = *operands[1];
  const auto is_of_first = [&](const std::string& axis) { return has_name(first, axis); };
  const std::string what = fmt::format("the labels '{}[{}]' of {}", step.operands[1].name,
                                       fmt::join(labels, ","), step.stage);
  if (step.stage == "take" && has_name(labels, step.axes.front()))
    return fmt::format("{} have the axis '{}', along which they choose", what, step.axes.front());
  if (step.stage == "put" && (labels.empty() || !std::ranges::all_of(labels, is_of_first)))
    return fmt::format("{} have other axes than '{}', which has [{}]", what, step.operands[0].name,
                       fmt::join(first, ","));
  return "";
}

/// The rule of the axis that is made in the place of those that the step works over.
GraphAxis made_axis(const GraphStep& step, std::size_t which, const Axes& known) {
  GraphAxis axis{.name = step.made[which], .rule = AxisRule::sum};
  if (!step.axes.empty() && axis.name == successor_name(step, step.axes.front()))
    axis.from = step.axes.front();
  axis.of = step.axes;
  if (step.stage == "split") {
    const std::string& other = step.made[1 - which];
    const bool counts = which == 0 && !has_name(known, other) && whole(step, kSplitParts) > 0;
    axis.rule = counts ? AxisRule::sum : AxisRule::quotient;
    axis.of = counts ? Axes{} : Axes{step.axes.front(), other};
    axis.more = counts ? whole(step, kSplitParts) : 0;
  } else if (step.stage == "join") {
    axis.rule = AxisRule::product;
  } else if (step.stage == "slice") {
    const std::int64_t count = whole(step, kCount);
    if (count > 0) axis.of = {};
    axis.more = count > 0 ? count : -whole(step, kFirst);
    axis.stride = count > 0 ? 1 : whole(step, kEvery);
  } else if (step.stage == "repeat") {
    axis.more = whole(step, kSize);
  } else if (step.stage == "pad") {
    axis.more = whole(step, kBefore) + whole(step, kAfter);
  } else if (step.stage == "diagonal") {
    axis.of = {step.axes.front()};
  } else if (step.stage == "concat") {
    axis.of = {concatenated(step, 0), concatenated(step, 1)};
  }
  return axis;
}

}  // namespace

std::string part_axes_of_move(GraphStep& step, const Operands& operands) {
  const GraphStage& row = graph_stage(step.stage);
  const auto is_taken = [&](const std::string& axis) {
    return std::ranges::any_of(operands, [&](const Axes* o) { return has_name(*o, axis); });
  };
  const auto first_made = std::ranges::find_if_not(step.axes, is_taken);
  step.made = {first_made, step.axes.end()};
  step.axes.erase(first_made, step.axes.end());
  step.axes_said = !step.axes.empty();
  const StageMove& move = row.move;
  if (step.made.empty() && move.makes == 1 && !move.is_named && !step.axes.empty())
    step.made = {successor_name(step, step.axes.front())};
  const bool fits = step.axes.size() >= move.least && step.axes.size() <= move.most &&
                    step.made.size() == move.makes && std::ranges::none_of(step.made, is_taken);
  const bool is_distinct =
      made_distinct(step.made) == step.made && made_distinct(step.axes) == step.axes;
  if (fits && is_distinct) return "";
  const std::string count = move.least == move.most ? fmt::format("{}", move.least)
                            : move.most > 2         ? fmt::format("{} or more", move.least)
                                            : fmt::format("{} or {}", move.least, move.most);
  Axes said = step.axes;
  said.insert(said.end(), step.made.begin(), step.made.end());
  return fmt::format("{} names {} {} that '{}' has{}; these are [{}], and it has [{}]", row.word,
                     count, count == "1" ? "axis" : "axes", step.operands.front().name,
                     move.makes == 0   ? ""
                     : move.makes == 1 ? ", then a new one"
                                       : fmt::format(", then {} new ones", move.makes),
                     fmt::join(said, ","), fmt::join(*operands.front(), ","));
}

ValueAxes axes_of_move(const GraphStep& step, const Operands& operands, const Axes& known) {
  if (const GraphStage& row = graph_stage(step.stage); row.takes_labels()) {
    ValueAxes found{axes_by_labels(step, operands)};
    for (const std::string& axis : step.made)
      if (!has_name(known, axis))
        found.made.push_back({.name = axis, .rule = AxisRule::sum, .more = whole(step, kSize)});
    found.fault = fault_of_labels(step, operands);
    if (found.fault.empty() && !found.made.empty() && whole(step, kSize) == 0)
      found.fault =
          fmt::format("put needs size=NUMBER, or '{}' as an axis of a tensor", step.made.front());
    return found;
  }
  ValueAxes found{replaced(step, *operands.front(), step.made)};
  for (std::size_t k = 0; k < step.made.size(); ++k)
    if (!has_name(known, step.made[k])) found.made.push_back(made_axis(step, k, known));
  if (step.stage == "repeat" && !found.made.empty() && whole(step, kSize) == 0)
    found.fault =
        fmt::format("repeat needs size=NUMBER, or '{}' as an axis of a tensor", step.made.front());
  // An extent that another one follows from stands before it.
  if (found.made.size() == 2 && found.made.front().rule == AxisRule::quotient)
    std::ranges::reverse(found.made);
  if (found.made.size() == 2 && found.made.front().rule == AxisRule::quotient)
    found.fault = fmt::format("split needs parts=NUMBER, or '{}' or '{}' as an axis of a tensor",
                              step.made[0], step.made[1]);
  if (step.stage == "concat") {
    Axes first = *operands[0], second = *operands[1];
    if (!has_name(first, concatenated(step, 0)) || !has_name(second, concatenated(step, 1)))
      found.fault = fmt::format("concat names an axis of '{}', then one of '{}'",
                                step.operands[0].name, step.operands[1].name);
    std::erase(first, concatenated(step, 0));
    std::erase(second, concatenated(step, 1));
    if (found.fault.empty() && !std::ranges::is_permutation(first, second))
      found.fault = fmt::format("concat of '{}' and '{}' has beside its axes [{}] and [{}]",
                                step.operands[0].name, step.operands[1].name, fmt::join(first, ","),
                                fmt::join(second, ","));
  }
  return found;
}

MoveOrder order_of_move(const GraphStep& step, const Axes& first) {
  MoveOrder order{first, replaced(step, first, step.made)};
  if (step.stage == "join") order.taken = replaced(step, first, step.axes);
  const auto to_end = [](Axes& axes, const std::string& last) {
    std::erase(axes, last);
    axes.push_back(last);
  };
  if (step.stage == "pad") to_end(order.taken, step.axes.front());
  if (!kept_band(step).keeps_all()) {
    for (const std::string& axis : step.axes) to_end(order.taken, axis);
    order.left = order.taken;
  }
  if (step.stage == "pad" || step.stage == "diagonal") to_end(order.left, step.made.front());
  return order;
}

LabelAxes label_axes(const GraphStep& step, const Axes& first, const Axes& labels) {
  LabelAxes axes;
  axes.along = step.made.empty() ? step.axes.front() : step.made.front();
  for (const std::string& axis : labels)
    (has_name(first, axis) ? axes.batch : axes.fresh).push_back(axis);
  for (const std::string& axis : first)
    if (!has_name(labels, axis) && axis != axes.along) axes.rest.push_back(axis);
  return axes;
}

}  // namespace gradproof
