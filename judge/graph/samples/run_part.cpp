// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/samples/run_part.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/tensor/digest.h"

namespace gradproof {
namespace {

/// The places along each axis of a tensor, all of them where nothing is cut.
std::vector<std::vector<std::int64_t>> places_by_axis(const Shape& shape,
                                                      const std::vector<std::string>& axes,
                                                      const CutPlaces& places) {
  std::vector<std::vector<std::int64_t>> all(shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (const auto cut = places.find(axes[k]); cut != places.end()) {
      all[k] = cut->second;
      continue;
    }
    for (std::int64_t place = 0; place < shape[k]; ++place) all[k].push_back(place);
  }
  return all;
}

/// The tensors with their parts; what has none of the axes is copied whole.
Tensors parts_of(const GraphClaim& claim, const Tensors& whole, const CutPlaces& places) {
  Tensors parts;
  for (const auto& [name, tensor] : whole) {
    const auto is_named = [&](const std::string& of) { return name == "d" + of; };
    const auto output = std::ranges::find_if(claim.graph.outputs, is_named);
    const std::string& of = output == claim.graph.outputs.end() ? name : *output;
    parts.emplace(name, part_of(tensor, claim.graph.axes_of(of), places));
  }
  return parts;
}

/// The index of an element among those of all places of another shape.
template <class Place>
std::int64_t moved_index(std::int64_t index, const Shape& from, const Shape& to,
                         const Place& place) {
  std::int64_t moved = 0;
  std::int64_t stride = 1;
  for (std::size_t k = from.size(); k-- > 0;) {
    moved += place(k, index % from[k]) * stride;
    stride *= to[k];
    index /= from[k];
  }
  return moved;
}

}  // namespace

Tensor part_of(const Tensor& whole, const std::vector<std::string>& axes, const CutPlaces& places) {
  const bool is_cut = std::ranges::any_of(axes, [&](const auto& a) { return places.contains(a); });
  if (!is_cut) return whole;
  const auto all = places_by_axis(whole.shape(), axes, places);
  Shape shape;
  for (const auto& along : all) shape.push_back(std::ssize(along));
  Tensor part(whole.dtype(), shape);
  const std::size_t size = size_of(whole.dtype());
  const auto at = [&](std::size_t k, std::int64_t i) {
    return all[k][static_cast<std::size_t>(i)];
  };
  for (std::int64_t i = 0; i < part.numel(); ++i) {
    const std::int64_t from = whole.position(moved_index(i, shape, whole.shape(), at));
    std::memcpy(part.bytes().data() + static_cast<std::size_t>(i) * size,
                whole.bytes().data() + static_cast<std::size_t>(from) * size, size);
  }
  return part;
}

const std::vector<std::string>& axes_of_target(const Graph& graph, const std::string& target) {
  return graph.axes_of(has_name(graph.outputs, target) ? target : target.substr(2));
}

RunPart::RunPart(const GraphRun& whole, const std::vector<std::string>& targets, CutPlaces places)
    : whole_(whole), places_(std::move(places)) {
  const Graph& graph = whole.claim.graph;
  run_ = {whole.claim, parts_of(whole.claim, whole.inputs, places_), {}, whole.who};
  for (const std::string& target : targets)
    if (const auto got = whole.got.find(target); got != whole.got.end())
      run_.got.emplace(target, part_of(got->second, axes_of_target(graph, target), places_));
  GraphExtents said;
  for (const GraphAxis& axis : graph.axes)
    if (axis.is_given()) said[axis.name] = whole.claim.extents.at(axis.name);
  for (const auto& [axis, along] : places_) said[axis] = std::ssize(along);
  run_.claim.extents = graph.extents(said);
  if (elements_of(run_.got) <= kMostKept) run_.known = std::make_shared<KnownBlocks>();
}

std::int64_t RunPart::whole_index(const std::string& target, std::int64_t index) const {
  const auto& axes = axes_of_target(whole_.claim.graph, target);
  return moved_index(index, get(run_.got, target).shape(), get(whole_.got, target).shape(),
                     [&](std::size_t k, std::int64_t place) {
                       const auto cut = places_.find(axes[k]);
                       return cut == places_.end() ? place
                                                   : cut->second[static_cast<std::size_t>(place)];
                     });
}

std::int64_t RunPart::index_of(const std::string& target, std::int64_t whole_index) const {
  const auto& axes = axes_of_target(whole_.claim.graph, target);
  return moved_index(whole_index, get(whole_.got, target).shape(), get(run_.got, target).shape(),
                     [&](std::size_t k, std::int64_t place) -> std::int64_t {
                       const auto cut = places_.find(axes[k]);
                       if (cut == places_.end()) return place;
                       const auto found = std::ranges::lower_bound(cut->second, place);
                       return std::distance(cut->second.begin(), found);
                     });
}

std::string RunPart::text() const {
  std::string text;
  for (const auto& [axis, along] : places_)
    text += fmt::format("{}{} of {} along {}", text.empty() ? "" : ", ", along.size(),
                        whole_.claim.extents.at(axis), axis);
  return text;
}

void RunPart::place(Record& record) const {
  const Tensor& got = get(whole_.got, record.tensor);
  record.shape = got.shape();
  record.digest = digest(got);
  if (places_.empty()) return;
  record.sample = text();
  Discrepancy& found = record.discrepancy();
  if (found.elements == 0) return;
  const auto move = [&](std::int64_t& index) { index = whole_index(record.tensor, index); };
  move(found.worst.index);
  for (auto* elements : {&found.first_bad, &found.last_bad})
    for (Element& element : *elements) move(element.index);
  for (std::int64_t& index : found.good_before) move(index);
  const std::string& columns = axes_of_target(whole_.claim.graph, record.tensor).back();
  if (const auto cut = places_.find(columns); cut != places_.end())
    for (WorstColumn& column : found.worst_columns)
      column.column = cut->second[static_cast<std::size_t>(column.column)];
  // The pattern counts rows and columns of the part.
  if (!found.pattern.empty()) found.pattern = "among those judged " + found.pattern;
}

}  // namespace gradproof
