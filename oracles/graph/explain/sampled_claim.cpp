// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/sampled_claim.h"

#include <algorithm>

#include "core/claim/claim.h"
#include "core/graph/axes/convolution.h"

namespace gradproof {
namespace {

constexpr std::int64_t kAlongOne = 128;  ///< numbers that are kept where one axis is sampled
constexpr std::int64_t kAlongEach = 32;  ///< the same of several axes
constexpr std::int64_t kBlocks = 4;      ///< of a sum over blocks

using Positions = std::vector<std::int64_t>;

/// At most `most` of `count` numbers from `first` on, evenly spread; `must` is one of them.
Positions spread(std::int64_t first, std::int64_t count, std::int64_t most, std::int64_t must) {
  Positions all;
  const std::int64_t taken = std::min(count, most);
  if (taken == 0) return all;
  for (std::int64_t k = 0; k < taken; ++k) all.push_back(first + k * count / taken);
  const auto at = std::lower_bound(all.begin(), all.end(), must);
  if (at == all.end())
    all.back() = must;
  else
    *at = must;
  return all;
}

class Sampling {
 public:
  Sampling(const GraphClaim& claim, const std::string& target, std::int64_t index)
      : claim_(claim), element_(claim, target, index) {
    std::int64_t several = 0;
    for (const auto& [axis, extent] : claim.extents) several += is_sampled(axis) ? 1 : 0;
    for (const auto& [axis, extent] : claim.extents) {
      const auto known = element_.coordinates.find(axis);
      const std::int64_t must = known == element_.coordinates.end() ? 0 : known->second;
      const std::int64_t group = extent / groups_along(axis);
      const std::int64_t first = group > 0 ? must / group * group : 0;
      if (is_whole(axis))
        positions_[axis] = spread(0, extent, extent, must);
      else if (!is_sampled(axis))
        positions_[axis] = {must};
      else
        positions_[axis] = spread(first, group, most(axis, several), must);
    }
  }

  GraphClaim claim() const {
    GraphClaim small = claim_;
    for (auto& [axis, extent] : small.extents) extent = std::ssize(positions_.at(axis));
    small.graph = with_groups(std::move(small.graph), 1);
    return small;
  }

  Tensor part_of(const Tensor& whole, const std::string& name) const {
    std::vector<std::int64_t> places{0};
    Shape shape;
    for (const CountedAxis& axis : counted_axes(claim_, name)) {
      const Positions kept = indices(axis);
      std::vector<std::int64_t> next;
      for (const std::int64_t before : places)
        for (const std::int64_t at : kept) next.push_back(before * axis.extent + at);
      places = std::move(next);
      shape.push_back(std::ssize(kept));
    }
    Tensor part(whole.dtype(), Layout::contiguous(shape));
    for (std::size_t i = 0; i < places.size(); ++i)
      part.set(static_cast<std::int64_t>(i), whole.at(places[i]));
    return part;
  }

  std::int64_t index_of(const std::string& name) const {
    std::int64_t index = 0;
    for (const CountedAxis& axis : counted_axes(claim_, name)) {
      const Positions kept = indices(axis);
      const std::int64_t at = element_.coordinates.at(axis.name) / axis.width;
      index = index * std::ssize(kept) + (std::find(kept.begin(), kept.end(), at) - kept.begin());
    }
    return index;
  }
  bool is_gradient() const { return element_.gradient; }

 private:
  /// True if all numbers of an axis are taken: an axis of windows, or one along which labels or
  /// halves are counted.
  bool is_whole(const std::string& name) const {
    const Graph& graph = claim_.graph;
    const auto counts = [&](const GraphStep& s) {
      const StageForm form = graph_stage(s.stage).form;
      return (form == StageForm::selects || form == StageForm::turns || form == StageForm::scans ||
              form == StageForm::sorts) &&
             has_name(s.axes, name);
    };
    const auto slides = [&](const GraphAxis& axis) {
      return axis.from == name || axis.window_axis == name ||
             (axis.name == name && !axis.is_given());
    };
    const auto groups = [&](const GraphStep& s) {
      if (!graph_stage(s.stage).convolves() || channel_groups(s) == 1) return false;
      return name == graph.axes_of(s.operands[0].name)[1] ||
             has_name(graph.axes_of(s.operands[1].name), name);
    };
    const auto moves = [&](const GraphStep& s) {
      return graph_stage(s.stage).moves() && (has_name(s.axes, name) || has_name(s.made, name));
    };
    return std::any_of(graph.steps.begin(), graph.steps.end(), counts) ||
           std::any_of(graph.steps.begin(), graph.steps.end(), moves) ||
           std::any_of(graph.steps.begin(), graph.steps.end(), groups) ||
           std::any_of(graph.axes.begin(), graph.axes.end(), slides);
  }
  std::int64_t groups_along(const std::string& axis) const {
    for (const GraphStep& s : claim_.graph.steps)
      if (s.stage == "group_norm" && s.axes.front() == axis)
        return static_cast<std::int64_t>(s.number("groups"));
    return 1;
  }
  /// True if several numbers along the axis decide an element.
  bool is_sampled(const std::string& axis) const {
    const auto& steps = claim_.graph.steps;
    return !element_.coordinates.contains(axis) ||
           std::any_of(steps.begin(), steps.end(),
                       [&](const GraphStep& s) { return has_name(s.axes, axis); });
  }
  std::int64_t most(const std::string& axis, std::int64_t several) const {
    if (axis == element_.cut) return kBlocks;
    return several > 1 ? kAlongEach : kAlongOne;
  }
  /// The kept indices along an axis, each once.
  Positions indices(const CountedAxis& axis) const {
    Positions kept;
    for (const std::int64_t at : positions_.at(axis.name))
      if (kept.empty() || kept.back() != at / axis.width) kept.push_back(at / axis.width);
    return kept;
  }

  const GraphClaim& claim_;
  GraphElement element_;
  std::map<std::string, Positions> positions_;
};

}  // namespace

SampledClaim sampled(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                     const std::string& target, std::int64_t index) {
  const Sampling sampling(claim, target, index);
  SampledClaim small{sampling.claim(), {}, {}, 0};
  for (const GraphTensor& t : claim.graph.tensors)
    small.inputs.emplace(t.name, sampling.part_of(get(inputs, t.name), t.name));
  for (const std::string& output : claim.graph.outputs)
    if (const auto found = inputs.find(cotangent_name(output)); found != inputs.end())
      small.inputs.emplace(found->first, sampling.part_of(found->second, output));
  const bool gradient = sampling.is_gradient();
  for (const NormStatistic& s : claim.statistics)
    if (gradient && !statistics.empty())
      small.statistics.emplace(s.name, sampling.part_of(get(statistics, s.name), s.name));
  small.index = sampling.index_of(gradient ? tensor_of_gradient(target) : target);
  return small;
}

}  // namespace gradproof
