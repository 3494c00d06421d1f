// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_parts.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <set>

#include "core/graph/axes/convolution.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;

Axes common(const Axes& one, const Axes& other) {
  Axes both;
  for (const std::string& name : one)
    if (has_name(other, name)) both.push_back(name);
  return both;
}

/// True for a stage that updates running statistics: nothing goes back through the stage.
bool updates_statistics(const GraphStage& row) {
  return row.form == StageForm::reduces && row.axes == StageAxes::rest;
}

/// The steps that stand together in a segment, as their places in the graph.
class Schedule {
 public:
  explicit Schedule(const Graph& graph) : graph_(graph), placed_(graph.steps.size()) {
    for (const GraphTensor& t : graph.tensors) known_.insert(t.name);
    for (std::size_t k = 0; k < placed_.size(); ++k)
      if (!placed_[k]) parts_.push_back(part_from(k));
  }

  const std::vector<GraphPart>& parts() const { return parts_; }

 private:
  GraphPart part_from(std::size_t first) {
    GraphPart part;
    Axes free = free_axes(graph_, graph_.steps[first]);
    const bool has_axis = !free.empty();
    for (std::size_t k = first; k < placed_.size(); ++k) {
      if (placed_[k] || !is_ready(k) || !may_go_ahead(k)) continue;
      const Axes own = free_axes(graph_, graph_.steps[k]);
      const Axes both = common(free, own);
      if (has_axis ? both.empty() : !own.empty()) continue;
      free = both;
      placed_[k] = true;
      known_.insert(graph_.steps[k].value);
      part.push_back(k);
    }
    return part;
  }

  bool is_ready(std::size_t k) const {
    const auto& operands = graph_.steps[k].operands;
    return std::all_of(operands.begin(), operands.end(), [&](const GraphOperand& o) {
      return o.is_number() || known_.contains(o.name);
    });
  }

  /// True if no earlier step that is still to come shares an operand's gradient with the step.
  bool may_go_ahead(std::size_t k) const {
    const GraphStep& step = graph_.steps[k];
    if (updates_statistics(graph_stage(step.stage))) return true;
    for (std::size_t before = 0; before < k; ++before)
      for (const GraphOperand& o : step.operands)
        if (!placed_[before] && !o.is_number() && graph_.steps[before].takes(o.name)) return false;
    return true;
  }

  const Graph& graph_;
  std::vector<bool> placed_;
  std::set<std::string, std::less<>> known_;
  std::vector<GraphPart> parts_;
};

/// The axes of a product's value that it has from its second factor alone, and that nothing
/// couples. Channels in groups are coupled with those of the first factor.
Axes axes_of_second(const Graph& graph, const GraphStep& step) {
  const GraphStage& row = graph_stage(step.stage);
  if (row.form != StageForm::contracts || (row.convolves() && channel_groups(step) > 1)) return {};
  const Axes& second = graph.axes_of(step.operands[1].name);
  const Axes& first = graph.axes_of(step.operands[0].name);
  Axes own;
  for (const std::string& axis : common(step.value_axes, second))
    if (!has_name(first, axis)) own.push_back(axis);
  return own;
}

std::int64_t numbers_of(const Graph& graph, const GraphExtents& extents) {
  std::int64_t all = 0;
  const auto count = [&](const Axes& axes) {
    std::int64_t numbers = 1;
    for (const std::string& axis : axes) numbers *= extents.at(axis);
    all += numbers;
  };
  for (const GraphTensor& t : graph.tensors) count(t.axes);
  for (const GraphStep& s : graph.steps) count(s.value_axes);
  return all;
}

/// The axes that are free in every step, in the order of the graph's; with `of_second` also those
/// that a product has from its second factor alone.
Axes free_everywhere(const Graph& graph, bool of_second = false) {
  Axes free;
  for (const GraphAxis& axis : graph.axes) free.push_back(axis.name);
  for (const GraphStep& s : graph.steps) {
    Axes own = free_axes(graph, s);
    if (of_second)
      for (const std::string& axis : axes_of_second(graph, s)) own.push_back(axis);
    free = common(free, own);
  }
  return free;
}

/// True if `second` stands right behind `first` in the axes of a tensor or value, or the axes have
/// neither.
bool side_by_side(const Axes& axes, const std::string& first, const std::string& second) {
  const auto at = std::find(axes.begin(), axes.end(), first);
  if (at == axes.end()) return !has_name(axes, second);
  return at + 1 != axes.end() && *(at + 1) == second;
}

bool can_merge(const Graph& graph, const std::string& first, const std::string& second) {
  return std::all_of(graph.tensors.begin(), graph.tensors.end(),
                     [&](const GraphTensor& t) { return side_by_side(t.axes, first, second); }) &&
         std::all_of(graph.steps.begin(), graph.steps.end(), [&](const GraphStep& s) {
           return side_by_side(s.value_axes, first, second) && !has_name(s.axes, first) &&
                  !has_name(s.axes, second);
         });
}

/// Replaces the two neighbouring axes by one axis with the name `both`.
void merge(Axes& axes, const std::string& first, const std::string& second,
           const std::string& both) {
  std::replace(axes.begin(), axes.end(), first, both);
  std::erase(axes, second);
}

}  // namespace

std::vector<std::string> free_axes(const Graph& graph, const GraphStep& step) {
  const GraphStage& row = graph_stage(step.stage);
  if (row.form == StageForm::elementwise) return step.value_axes;
  const Axes& taken = graph.axes_of(step.operands.front().name);
  const Axes labels = row.takes_labels() ? graph.axes_of(step.operands[row.labels()].name) : Axes();
  Axes free;
  for (const std::string& axis : step.value_axes)
    if (has_name(taken, axis) && !has_name(step.axes, axis) && !has_name(labels, axis))
      free.push_back(axis);
  return free;
}

namespace {

/// The rank of an axis for cutting blocks from it: better axes compare larger.
struct CutRank {
  std::int64_t whole_sums = 0;  ///< gradients that no block has a part of, where packs are full
  std::int64_t extent = 0;

  friend auto operator<=>(const CutRank&, const CutRank&) = default;
};

CutRank rank_of(const Graph& graph, const GraphExtents& whole, const std::string& axis) {
  const std::int64_t extent = whole.at(axis);
  std::int64_t widest = 1;  // elements of one number along the axis
  for (const GraphStep& s : graph.steps) {
    std::int64_t count = 1;
    for (const std::string& other : s.value_axes)
      if (other != axis) count *= whole.at(other);
    widest = std::max(widest, count);
  }
  if (extent < kNumbersOfPack || widest > kBlockElements / kNumbersOfPack) return {0, extent};
  const auto sums = std::count_if(
      graph.tensors.begin(), graph.tensors.end(),
      [&](const GraphTensor& t) { return has_gradient(t.part) && has_name(t.axes, axis); });
  return {sums, extent};
}

}  // namespace

std::string block_axis(const Graph& graph, const GraphExtents& whole) {
  std::string best;
  CutRank most;
  const auto choose = [&](const Axes& axes) {
    for (const std::string& axis : axes) {
      const CutRank rank = rank_of(graph, whole, axis);
      if (!best.empty() && rank <= most) continue;
      best = axis;
      most = rank;
    }
  };
  choose(free_everywhere(graph));
  if (most.extent < kNumbersOfPack) choose(free_everywhere(graph, true));
  return best;
}

Graph part_of(const Graph& graph, const GraphPart& places) {
  Graph part;
  part.axes = graph.axes;
  for (const std::size_t k : places) part.steps.push_back(graph.steps[k]);
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(part.steps.begin(), part.steps.end(),
                       [&](const GraphStep& s) { return s.takes(name); });
  };
  for (const GraphTensor& t : graph.tensors)
    if (is_taken(t.name)) part.tensors.push_back(t);
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const GraphStep& s = graph.steps[k];
    const bool own = std::find(places.begin(), places.end(), k) != places.end();
    if (!own && is_taken(s.value))
      part.tensors.push_back({s.value, TensorPart::value, s.value_axes, true});
  }
  return part;
}

void merge_free_axes(Graph& graph, GraphExtents& extents) {
  Axes free = free_everywhere(graph);
  // The axes get the order of a value, which has them all.
  if (!free.empty()) free = common(graph.steps.front().value_axes, free);
  std::string last;
  for (const std::string& axis : free) {
    if (last.empty() || !can_merge(graph, last, axis)) {
      last = axis;
      continue;
    }
    const std::string both = last + "*" + axis;
    for (GraphTensor& t : graph.tensors) merge(t.axes, last, axis, both);
    for (GraphStep& s : graph.steps) merge(s.value_axes, last, axis, both);
    graph.axes.push_back({both});
    extents[both] = extents.at(last) * extents.at(axis);
    last = both;
  }
}

std::vector<GraphPart> graph_parts(const Graph& graph, const GraphExtents& extents,
                                   std::int64_t whole_numbers) {
  const bool has_axis = !block_axis(graph, extents).empty();
  if (!has_axis && numbers_of(graph, extents) > whole_numbers) return Schedule(graph).parts();
  GraphPart all(graph.steps.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {all};
}

}  // namespace gradproof
