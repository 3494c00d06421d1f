// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/judged_targets.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// Copies a block's truths to their places in the tensor; blocks have no place in common.
void keep(GraphTruths& kept, const BlockAnswer& a, const PackedPlaces& places) {
  places.each([&](std::size_t stored, std::size_t at) {
    put(kept.truths, at, a.truths.at(stored));
    kept.escalated[at] = a.escalated.empty() ? 0 : a.escalated[stored];
  });
}

Shape without_ones_in_front(Shape shape) {
  shape.erase(shape.begin(), std::find_if(shape.begin(), shape.end(),
                                          [](std::int64_t extent) { return extent != 1; }));
  return shape;
}

/// True if the truth decides the verdict. An infinite bound needs no truth; a radius of at most the
/// smallest double is part of the bound already (stored_type.h).
bool is_sharp(const Truth& truth) {
  return std::isinf(truth.bound) || truth.radius <= kSmallestDouble ||
         is_decided(truth.radius, truth.bound);
}

}  // namespace

void JudgedTargets::note_escalated(Part& part, const Truth& truth) {
  ++part.escalated;
  part.too_coarse += is_sharp(truth) ? 0 : 1;
}

JudgedTargets::JudgedTargets(const GraphClaim& claim, const JudgedTensors& got) : got_(got) {
  for (const GraphStep& s : claim.graph.steps)
    if (s.stage == "group_norm" && s.value_axes.back() == s.axes.front()) {
      channels_ = claim.extents.at(s.axes.front());
      group_width_ = channels_ / static_cast<std::int64_t>(s.number("groups"));
    }
  for (const std::string& output : claim.graph.outputs) add(claim, output, output);
  for (const GraphTensor& t : claim.graph.tensors)
    if (has_gradient(t.part)) add(claim, gradient_name(t.name), t.name);
  for (const NormStatistic& s : claim.statistics)
    if (const auto found = got.find(s.name); found != got.end())
      targets_.push_back({s.name, found->second->shape()});
}

void JudgedTargets::add(const GraphClaim& claim, const std::string& name, const std::string& of) {
  if (!got_.contains(name)) return;
  const Shape& shape = got_.at(name)->shape();
  if (without_ones_in_front(shape) != without_ones_in_front(claim.shape_of(of)))
    throw InstrumentError(fmt::format("{} has another shape than the graph says", name));
  targets_.push_back({name, shape});
}

std::int64_t JudgedTargets::group_width_of(const Shape& shape) const {
  return !shape.empty() && shape.back() == channels_ ? group_width_ : 0;
}

JudgedTargets::Target* JudgedTargets::target(const std::string& name) {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const Target& t) { return t.name == name; });
  return found == targets_.end() ? nullptr : &*found;
}

void JudgedTargets::put(const BlockAnswer& a, const PackedBlock& block) {
  Target* const to = target(a.target);
  if (to == nullptr) return;
  Part part = take_part(*to);
  const PackedPlaces places(*a.value, block);
  places.read(*got_.at(a.target), part.got);
  places.each_run([&](const PackedRun& of) { compare(part, a.truths, of); });
  for (std::size_t i = 0; i < a.escalated.size(); ++i)
    if (a.escalated[i] != 0) note_escalated(part, a.truths.at(i));
  if (!to->kept.escalated.empty()) keep(to->kept, a, places);
  const std::lock_guard lock(mutex_);
  to->has_any = true;
  to->parts.push_back(std::move(part));
}

void JudgedTargets::compare(Part& part, const Truths& truths, const PackedRun& of) {
  if (!of.has_idle())
    return part.comparison.add(of.run, part.got.data() + of.first, truths, of.first, of.count);
  std::vector<double> got(of.count);
  Truths dense;
  dense.resize(of.count);
  for (std::size_t i = 0; i < of.count; ++i) {
    got[i] = part.got[of.stored(i)];
    gradproof::put(dense, i, truths.at(of.stored(i)));
  }
  part.comparison.add(of.run, got.data(), dense);
}

JudgedTargets::Part JudgedTargets::take_part(Target& of) {
  const std::lock_guard lock(mutex_);
  if (of.parts.empty())
    return {Comparison(got_.at(of.name)->dtype(), of.shape, group_width_of(of.shape))};
  Part part = std::move(of.parts.back());
  of.parts.pop_back();
  return part;
}

void JudgedTargets::put(const std::string& name, const GraphTruths& whole) {
  Target* const to = target(name);
  if (to == nullptr) return;
  to->has_any = true;
  Part part = take_part(*to);
  part.got.resize(whole.truths.size());
  got_.at(name)->read(0, 1, std::ssize(part.got), part.got.data());
  part.comparison.add(Run{}, part.got.data(), whole.truths);
  for (std::size_t i = 0; i < whole.escalated.size(); ++i)
    if (whole.escalated[i] != 0) note_escalated(part, whole.truths.at(i));
  to->parts.push_back(std::move(part));
  if (!to->kept.escalated.empty()) to->kept = whole;
}

void JudgedTargets::keep_truths() {
  for (Target& t : targets_) t.kept.resize(static_cast<std::size_t>(numel(t.shape)));
}

std::map<std::string, GraphTruths, std::less<>> JudgedTargets::truths() {
  std::map<std::string, GraphTruths, std::less<>> all;
  for (Target& t : targets_) all.emplace(t.name, std::move(t.kept));
  return all;
}

std::map<std::string, Judged, std::less<>> JudgedTargets::judged(const std::string& why) {
  std::map<std::string, Judged, std::less<>> judged;
  for (Target& t : targets_) {
    Part all = take_part(t);
    for (const Part& part : t.parts) {
      all.comparison.merge(part.comparison);
      all.escalated += part.escalated;
      all.too_coarse += part.too_coarse;
    }
    judged.emplace(t.name, Judged{all.comparison.finish(), why, all.escalated, all.too_coarse});
  }
  return judged;
}

}  // namespace gradproof
