// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/judged_targets.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// Copies a block's truths to their places in the tensor; blocks have no place in common.
void keep(GraphTruths& kept, const BlockAnswer& a, const Block& block) {
  each_run_by_number(*a.value, block, [&](std::int64_t local, const Run& run, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto from = static_cast<std::size_t>(local + i);
      const auto at = static_cast<std::size_t>(run.first + i * run.stride);
      put(kept.truths, at, a.truths.at(from));
      kept.escalated[at] = a.escalated[from];
    }
  });
}

}  // namespace

JudgedTargets::JudgedTargets(const GraphClaim& claim, const Tensors& got) : got_(got) {
  for (const std::string& output : claim.graph.outputs) add(claim, output, output);
  for (const GraphTensor& t : claim.graph.tensors)
    if (has_gradient(t.part)) add(claim, gradient_name(t.name), t.name);
}

void JudgedTargets::add(const GraphClaim& claim, const std::string& name, const std::string& of) {
  if (!got_.contains(name)) return;
  const Shape shape = claim.shape_of(of);
  const Tensor& tensor = get(got_, name);
  if (tensor.shape() != shape)
    throw InstrumentError(fmt::format("{} has another shape than the graph says", name));
  targets_.push_back({name, shape});
}

JudgedTargets::Target* JudgedTargets::target(const std::string& name) {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const Target& t) { return t.name == name; });
  return found == targets_.end() ? nullptr : &*found;
}

void JudgedTargets::put(const BlockAnswer& a, const Block& block) {
  Target* const to = target(a.target);
  if (to == nullptr) return;
  const Tensor& tensor = get(got_, a.target);
  Part part = take_part(*to);
  each_run_by_number(*a.value, block, [&](std::int64_t local, const Run& run, std::int64_t count) {
    part.got.resize(static_cast<std::size_t>(count));
    tensor.read(run.first, run.stride, count, part.got.data());
    part.comparison.add(run, part.got.data(), a.truths, static_cast<std::size_t>(local),
                        part.got.size());
  });
  part.escalated += std::count(a.escalated.begin(), a.escalated.end(), 1);
  if (!to->kept.escalated.empty()) keep(to->kept, a, block);
  const std::lock_guard lock(mutex_);
  to->has_any = true;
  to->parts.push_back(std::move(part));
}

JudgedTargets::Part JudgedTargets::take_part(Target& of) {
  const std::lock_guard lock(mutex_);
  if (of.parts.empty()) return {Comparison(get(got_, of.name).dtype(), of.shape)};
  Part part = std::move(of.parts.back());
  of.parts.pop_back();
  return part;
}

void JudgedTargets::put_element(const std::string& name, std::int64_t at, const Truth& truth,
                                bool escalated) {
  Target* const to = target(name);
  if (to == nullptr) return;
  to->has_any = true;
  Part part = take_part(*to);
  part.escalated += escalated ? 1 : 0;
  part.comparison.add(at, get(got_, name).at(at), truth);
  to->parts.push_back(std::move(part));
  if (to->kept.escalated.empty()) return;
  gradproof::put(to->kept.truths, static_cast<std::size_t>(at), truth);
  to->kept.escalated[static_cast<std::size_t>(at)] = escalated ? 1 : 0;
}

void JudgedTargets::keep_truths() {
  GraphTruths& kept = targets_.at(0).kept;
  kept.truths.resize(static_cast<std::size_t>(numel(targets_[0].shape)));
  kept.escalated.resize(kept.truths.size());
}

std::map<std::string, Judged, std::less<>> JudgedTargets::judged(const std::string& why) {
  std::map<std::string, Judged, std::less<>> judged;
  for (Target& t : targets_) {
    Part all = take_part(t);
    for (const Part& part : t.parts) {
      all.comparison.merge(part.comparison);
      all.escalated += part.escalated;
    }
    judged.emplace(t.name, Judged{all.comparison.finish(), why, all.escalated, 0});
  }
  return judged;
}

}  // namespace gradproof
