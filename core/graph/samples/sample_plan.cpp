// SPDX-License-Identifier: Apache-2.0
#include "core/graph/samples/sample_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/graph/samples/apart.h"
#include "core/graph/stages.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

/// A product is evaluated in its value and in both gradients.
constexpr double kProducts = 3;

double count(const std::set<std::string>& axes, const GraphExtents& extents) {
  double all = 1;
  for (const std::string& axis : axes) all *= static_cast<double>(extents.at(axis));
  return all;
}

std::vector<std::string> targets_of(const Graph& graph) {
  std::vector<std::string> targets = graph.outputs;
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) targets.push_back("d_" + t.name);
  return targets;
}

/// The axes that the target may be cut along.
std::vector<std::string> axes_apart(const Graph& graph, const std::string& target) {
  std::vector<std::string> axes;
  for (const GraphAxis& axis : graph.axes)
    if (is_apart(graph, target, axis.name)) axes.push_back(axis.name);
  return axes;
}

SamplePlan plan_of(const Graph& graph, const GraphExtents& whole, const std::string& target) {
  SamplePlan plan{{target}, {}, work_of(graph, whole)};
  for (const std::string& axis : axes_apart(graph, target)) plan.counts[axis] = whole.at(axis);
  while (plan.work > kWorkOfSample) {
    const auto longest =
        std::max_element(plan.counts.begin(), plan.counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (longest == plan.counts.end() || longest->second <= kFewestPlaces) break;
    longest->second = std::max(kFewestPlaces, (longest->second + 1) / 2);
    plan.work = work_of(graph, extents_of(plan, graph, whole));
  }
  std::erase_if(plan.counts, [&](const auto& axis) { return axis.second == whole.at(axis.first); });
  return plan;
}

}  // namespace

double work_of(const Graph& graph, const GraphExtents& extents) {
  double work = 0;
  for (const GraphStep& s : graph.steps) {
    if (graph_stage(s.stage).form != StageForm::contracts) continue;
    std::set<std::string> axes(s.value_axes.begin(), s.value_axes.end());
    const auto& others = graph.axes_of(s.operands[1].name);
    axes.insert(others.begin(), others.end());
    work += kProducts * count(axes, extents);
  }
  return work;
}

std::vector<SamplePlan> sample_plans(const Graph& graph, const GraphExtents& extents) {
  const double whole = work_of(graph, extents);
  if (whole <= kMostWork) return {};
  std::vector<SamplePlan> plans;
  double work = 0;
  for (const std::string& target : targets_of(graph)) {
    SamplePlan plan = plan_of(graph, extents, target);
    const auto same = std::ranges::find(plans, plan.counts, &SamplePlan::counts);
    if (same != plans.end()) {
      same->targets.push_back(target);
      continue;
    }
    work += plan.work;
    plans.push_back(std::move(plan));
  }
  return work < whole / 2 ? plans : std::vector<SamplePlan>();
}

GraphExtents extents_of(const SamplePlan& plan, const Graph& graph, const GraphExtents& whole) {
  GraphExtents said;
  for (const GraphAxis& axis : graph.axes)
    if (axis.is_given()) said[axis.name] = whole.at(axis.name);
  for (const auto& [axis, places] : plan.counts) said[axis] = places;
  return graph.extents(said);
}

std::vector<std::int64_t> sampled_places(std::int64_t extent, std::int64_t count,
                                         const std::vector<std::int64_t>& wanted) {
  std::set<std::int64_t> places;
  const auto add = [&](std::int64_t place, std::int64_t most) {
    if (place >= 0 && place < extent && std::ssize(places) < most) places.insert(place);
  };
  for (const std::int64_t place : wanted) add(place, (count + 1) / 2);
  add(0, count);
  add(extent - 1, count);
  const std::int64_t most = std::ssize(places) + count / 2;
  for (std::int64_t tile = 256; tile >= 8; tile /= 2)
    for (const std::int64_t edge : {tile, extent / tile * tile, extent / 2 / tile * tile}) {
      add(edge - 1, std::min(count, most));
      add(edge, std::min(count, most));
    }
  const Stream stream(1, "places");
  const std::int64_t left = count - std::ssize(places);
  for (std::int64_t part = 0; part < left; ++part) {
    const double at = static_cast<double>(part) + stream.uniform(static_cast<std::uint64_t>(part));
    auto place =
        static_cast<std::int64_t>(at * static_cast<double>(extent) / static_cast<double>(left));
    while (places.contains(place)) place = (place + 1) % extent;
    places.insert(place);
  }
  return {places.begin(), places.end()};
}

}  // namespace gradproof
