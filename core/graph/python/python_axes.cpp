// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_axes.h"

#include <algorithm>

#include "core/graph/axes/moves.h"

namespace gradproof {

using Axes = std::vector<std::string>;

std::int64_t place_among(const Axes& axes, const std::string& axis) {
  return std::find(axes.begin(), axes.end(), axis) - axes.begin();
}

Axes with_axes_last(const Axes& axes, const Axes& last) {
  Axes order;
  for (const bool behind : {false, true})
    for (const std::string& axis : axes)
      if (has_name(last, axis) == behind) order.push_back(axis);
  return order;
}

std::string aligned_text(std::string text, const Axes& from, const Axes& to) {
  std::vector<std::int64_t> order;
  for (const std::string& axis : to)
    if (has_name(from, axis)) order.push_back(place_among(from, axis));
  if (!std::is_sorted(order.begin(), order.end()))
    text += fmt::format(".permute({})", fmt::join(order, ", "));
  for (std::size_t k = 0; k < to.size(); ++k)
    if (!has_name(from, to[k])) text += fmt::format(".unsqueeze({})", k);
  return text;
}

/// The places that a causal step does not keep, as a mask of its last two axes.
std::string masked_text(const GraphStep& s, const GraphExtents& extents, const std::string& x) {
  const KeptBand band = kept_band(s);
  const std::string all = fmt::format("torch.ones({}, {}, dtype=torch.bool, device={}.device)",
                                      extents.at(s.axes[0]), extents.at(s.axes[1]), x);
  const std::string above = fmt::format("{}.triu({})", all, band.most + 1);
  if (s.number(move_options::kBand) == 0) return above;
  return fmt::format("{} | {}.tril({})", above, all, band.least - 1);
}

std::string python_move(const Graph& graph, const GraphExtents& extents, const GraphStep& s,
                        PythonWords words) {
  const Axes& first = graph.axes_of(s.operands.front().name);
  const MoveOrder order = order_of_move(s, first);
  const auto sizes = [&](const Axes& of) {
    std::vector<std::int64_t> all;
    for (const std::string& axis : of) all.push_back(extents.at(axis));
    return all;
  };
  std::vector<std::int64_t> dims;
  for (const std::string& axis : s.axes) dims.push_back(place_among(order.taken, axis));
  words["x"] = aligned_text(words["x"], first, order.taken);
  words["dims"] = tuple_text(dims);
  words["dim"] = dims.empty() ? "" : std::to_string(dims.front());
  words["last"] = dims.empty() ? "" : std::to_string(dims.back());
  words["shape"] = tuple_text(sizes(s.made));
  words["left"] = fmt::format("{}", fmt::join(sizes(order.left), ", "));
  std::string end;
  if (s.stage == "slice") {
    for (std::int64_t k = 0; k < dims.front(); ++k) words["all"] += ":, ";
    const auto from = static_cast<std::int64_t>(s.number(move_options::kFirst));
    const auto every = static_cast<std::int64_t>(s.number(move_options::kEvery));
    words["end"] = std::to_string(from + (extents.at(s.made.front()) - 1) * every + 1);
  } else if (s.stage == "pad") {
    const bool is_filled = words["mode"] == "\"zeros\"";
    if (is_filled) words["mode"] = "\"constant\"";
    words["fill"] = is_filled && fill_of_move(s) != 0 ? ", " + words["value"] : "";
    words["x"] += fmt::format(".reshape(1, -1, {})", extents.at(s.axes.front()));
    end = fmt::format(".reshape({})", fmt::join(sizes(order.left), ", "));
  } else if (s.stage == "causal") {
    words["mask"] = masked_text(s, extents, words["x"]);
  } else if (s.stage == "concat") {
    Axes second = first;
    std::replace(second.begin(), second.end(), s.axes.front(), s.axes.back());
    words["other"] = aligned_text(words["other"], graph.axes_of(s.operands[1].name), second);
  }
  return aligned_text(filled(graph_stage(s.stage).libtorch, words) + end, order.left, s.value_axes);
}

}  // namespace gradproof
