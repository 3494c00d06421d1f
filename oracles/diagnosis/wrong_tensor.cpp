// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/wrong_tensor.h"

#include <algorithm>
#include <cmath>

#include "core/graph/graph_parts.h"
#include "core/graph/name_rules.h"
#include "core/graph/samples/apart.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/graph/explain/graph_site.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof::diagnosis {
namespace {

using Positions = std::vector<std::int64_t>;

ComparedEntry entry_of(std::int64_t index, double got, const Truth& truth) {
  ComparedEntry entry;
  entry.index = index;
  entry.got = got;
  entry.truth = LongDouble(truth.hi) + LongDouble(std::isfinite(truth.hi) ? truth.lo : 0);
  entry.bound = truth.bound;
  const bool finite = std::isfinite(got) && std::isfinite(truth.hi);
  const double error = static_cast<double>(std::fabs(LongDouble(got) - entry.truth));
  entry.wrong = finite ? error > truth.bound
                       : class_of(got) != class_of(truth.hi) && !truth.any_nonfinite &&
                             truth.bound < INFINITY;
  return entry;
}

/// The axes of an output, a tensor, a cotangent or a gradient.
std::vector<CountedAxis> axes_of(const GraphClaim& claim, const std::string& name) {
  return counted_axes(claim, value_named(claim.graph, name));
}

/// The row-major places of a tensor's elements that a sample keeps.
Positions places_at(const std::vector<CountedAxis>& axes, const KeptPlaces& kept, Shape& shape) {
  Positions places{0};
  for (const CountedAxis& axis : axes) {
    const auto cut = kept.find(axis.name);
    const std::int64_t extent = cut == kept.end() ? axis.extent : std::ssize(cut->second);
    Positions next;
    for (const std::int64_t before : places)
      for (std::int64_t k = 0; k < extent; ++k)
        next.push_back(before * axis.extent +
                       (cut == kept.end() ? k : cut->second[static_cast<std::size_t>(k)]));
    places = std::move(next);
    shape.push_back(extent);
  }
  return places;
}

Tensor part_of(const Tensor& whole, const std::vector<CountedAxis>& axes, const KeptPlaces& kept) {
  Shape shape;
  const Positions places = places_at(axes, kept, shape);
  Tensor part(whole.dtype(), shape);
  for (std::size_t i = 0; i < places.size(); ++i)
    part.set(static_cast<std::int64_t>(i), whole.at(places[i]));
  return part;
}

/// The positions along the axis with the most wrong entries, so many, in rising order.
Positions most_wrong(const WrongTensor& whole, const std::vector<CountedAxis>& axes,
                     std::size_t cut, std::int64_t count) {
  std::int64_t behind = 1;
  for (std::size_t k = cut + 1; k < axes.size(); ++k) behind *= axes[k].extent;
  std::vector<std::int64_t> wrong(static_cast<std::size_t>(axes[cut].extent));
  for (const ComparedEntry& entry : whole.entries)
    if (entry.wrong) ++wrong[static_cast<std::size_t>(entry.index / behind % axes[cut].extent)];
  Positions all(wrong.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int64_t>(k);
  const auto rank = [&](std::int64_t k) {
    return std::pair(-wrong[static_cast<std::size_t>(k)], k);
  };
  std::ranges::sort(all, {}, rank);
  all.resize(static_cast<std::size_t>(count));
  std::ranges::sort(all);
  return all;
}

/// True if every element takes a sum of products: other axes that can be cut are worth it.
bool has_products(const Graph& graph) {
  return std::ranges::any_of(graph.steps, [](const GraphStep& step) {
    return graph_stage(step.stage).form == StageForm::contracts;
  });
}

/// The places of a sample of so many numbers along the axis of blocks; empty if there is none.
KeptPlaces kept_places(const WrongTensor& whole, const std::vector<CountedAxis>& axes,
                       std::int64_t count) {
  constexpr std::int64_t kOthers = 8;  // times as many
  const Graph& graph = whole.claim.graph;
  const std::string block = block_axis(graph, whole.claim.extents);
  const bool cuts_others = has_products(graph);
  KeptPlaces kept;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool is_block = axes[k].name == block;
    const std::int64_t wanted = is_block ? count : kOthers * count;
    if (axes[k].extent <= 2 * wanted) continue;
    if (is_block || (cuts_others && is_apart(graph, whole.name, axes[k].name)))
      kept[axes[k].name] = most_wrong(whole, axes, k, wanted);
  }
  return kept.contains(block) ? kept : KeptPlaces();
}

}  // namespace

bool WrongTensor::is_gradient() const { return !has_name(claim.graph.outputs, name); }

std::int64_t WrongTensor::wrong() const {
  return std::ranges::count_if(entries, [](const ComparedEntry& e) { return e.wrong; });
}

std::vector<std::string> WrongTensor::axes() const {
  return claim.graph.axes_of(is_gradient() ? tensor_of_gradient(name) : name);
}

void take_entries(WrongTensor& whole) {
  const JudgedTensors asked{{whole.name, &whole.got}};
  FurtherInputs further;
  further.statistics = whole.statistics;
  const auto all = truths_of_graph(whole.claim, whole.inputs, asked, further);
  const Truths& truths = all.at(whole.name).truths;
  for (std::int64_t i = 0; i < whole.got.numel(); ++i)
    whole.entries.push_back(entry_of(i, whole.got.at(i), truths.at(static_cast<std::size_t>(i))));
}

void take_nodes(WrongTensor& whole) {
  if (!whole.is_gradient()) return;
  if (std::optional<Nodes> nodes = nodes_of(whole.claim, whole.inputs, whole.statistics))
    whole.nodes = std::make_shared<const Nodes>(std::move(*nodes));
}

std::optional<WrongTensor> sample_of(const WrongTensor& whole, std::int64_t count) {
  const GraphClaim& claim = whole.claim;
  const std::vector<CountedAxis> axes = axes_of(claim, whole.name);
  const KeptPlaces kept = kept_places(whole, axes, count);
  if (kept.empty()) return std::nullopt;
  WrongTensor part{claim, {}, {}, whole.name, part_of(whole.got, axes, kept), whole.unwritten};
  for (const auto& [axis, positions] : kept)
    part.claim.extents.find(axis)->second = std::ssize(positions);
  part.whole = &whole;
  part.kept = kept;
  for (const auto& [name, tensor] : whole.inputs)
    part.inputs.emplace(name, part_of(tensor, axes_of(claim, name), kept));
  for (const auto& [name, tensor] : whole.statistics)
    part.statistics.emplace(name, part_of(tensor, counted_axes(claim, name), kept));
  Shape shape;
  for (const std::int64_t place : places_at(axes, kept, shape)) {
    ComparedEntry entry = whole.entries[static_cast<std::size_t>(place)];
    entry.index = static_cast<std::int64_t>(part.entries.size());
    part.entries.push_back(entry);
  }
  return part;
}

Tensor changed_input(const WrongTensor& asked, const std::string& name,
                     const std::function<Tensor(const Tensor&)>& function) {
  if (asked.whole == nullptr) return function(get(asked.inputs, name));
  const WrongTensor& whole = *asked.whole;
  return part_of(function(get(whole.inputs, name)), axes_of(whole.claim, name), asked.kept);
}

}  // namespace gradproof::diagnosis
