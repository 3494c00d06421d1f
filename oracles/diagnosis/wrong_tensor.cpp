// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/wrong_tensor.h"

#include <algorithm>
#include <cmath>

#include "core/graph/graph_parts.h"
#include "core/graph/name_rules.h"
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

/// The row-major places of a tensor's elements that lie at these positions along the axis.
Positions places_at(const std::vector<CountedAxis>& axes, const std::string& cut,
                    const Positions& kept, Shape& shape) {
  Positions places{0};
  for (const CountedAxis& axis : axes) {
    Positions next;
    const std::int64_t extent =
        axis.name == cut ? static_cast<std::int64_t>(kept.size()) : axis.extent;
    for (const std::int64_t before : places)
      for (std::int64_t k = 0; k < extent; ++k)
        next.push_back(before * axis.extent +
                       (axis.name == cut ? kept[static_cast<std::size_t>(k)] : k));
    places = std::move(next);
    shape.push_back(extent);
  }
  return places;
}

Tensor part_of(const Tensor& whole, const std::vector<CountedAxis>& axes, const std::string& cut,
               const Positions& kept) {
  Shape shape;
  const Positions places = places_at(axes, cut, kept, shape);
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
  const std::string cut = block_axis(claim.graph, claim.extents);
  const std::vector<CountedAxis> axes = axes_of(claim, whole.name);
  const auto at =
      std::ranges::find_if(axes, [&](const CountedAxis& axis) { return axis.name == cut; });
  if (cut.empty() || at == axes.end() || at->extent <= 2 * count) return std::nullopt;
  const Positions kept =
      most_wrong(whole, axes, static_cast<std::size_t>(at - axes.begin()), count);
  WrongTensor part{claim, {}, {}, whole.name, part_of(whole.got, axes, cut, kept), whole.unwritten};
  part.claim.extents.find(cut)->second = count;
  for (const auto& [name, tensor] : whole.inputs)
    part.inputs.emplace(name, part_of(tensor, axes_of(claim, name), cut, kept));
  for (const auto& [name, tensor] : whole.statistics)
    part.statistics.emplace(name, part_of(tensor, counted_axes(claim, name), cut, kept));
  Shape shape;
  for (const std::int64_t place : places_at(axes, cut, kept, shape)) {
    ComparedEntry entry = whole.entries[static_cast<std::size_t>(place)];
    entry.index = static_cast<std::int64_t>(part.entries.size());
    part.entries.push_back(entry);
  }
  return part;
}

}  // namespace gradproof::diagnosis
