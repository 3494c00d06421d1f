// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/judged_targets.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// Copies a run of a block's truths, from the one at `local`, to their places in the tensor; blocks
/// have no place in common.
void keep(GraphTruths& kept, const BlockAnswer& a, std::size_t local,
          std::pair<std::int64_t, std::int64_t> run) {
  if (kept.escalated.empty()) return;
  const auto [first, count] = run;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::size_t at = static_cast<std::size_t>(first) + i;
    put(kept.truths, at, a.truths.at(local + i));
    kept.escalated[at] = a.escalated[local + i];
  }
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
  targets_.push_back({name, shape, Comparison(tensor.dtype(), shape)});
}

JudgedTargets::Target* JudgedTargets::target(const std::string& name) {
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const Target& t) { return t.name == name; });
  return found == targets_.end() ? nullptr : &*found;
}

void JudgedTargets::put(const BlockAnswer& a, const std::string& axis, const Block& block) {
  Target* const to = target(a.target);
  if (to == nullptr) return;
  const Tensor& tensor = get(got_, a.target);
  Comparison part(tensor.dtype(), to->shape);
  std::vector<double> got;
  each_run(*a.value, axis, block, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
    got.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < got.size(); ++i)
      got[i] = tensor.at(first + static_cast<std::int64_t>(i));
    part.add({first, 1}, got.data(),
             part_of(a.truths, static_cast<std::size_t>(local), got.size()));
    keep(to->kept, a, static_cast<std::size_t>(local), {first, count});
  });
  const std::lock_guard lock(mutex_);
  to->has_any = true;
  to->comparison.merge(part);
  to->escalated += std::count(a.escalated.begin(), a.escalated.end(), 1);
}

void JudgedTargets::put_element(const std::string& name, std::int64_t at, const Truth& truth,
                                bool escalated) {
  Target* const to = target(name);
  if (to == nullptr) return;
  to->has_any = true;
  to->escalated += escalated ? 1 : 0;
  to->comparison.add(at, get(got_, name).at(at), truth);
  if (to->kept.escalated.empty()) return;
  gradproof::put(to->kept.truths, static_cast<std::size_t>(at), truth);
  to->kept.escalated[static_cast<std::size_t>(at)] = escalated ? 1 : 0;
}

void JudgedTargets::keep_truths() {
  GraphTruths& kept = targets_.at(0).kept;
  kept.truths.resize(static_cast<std::size_t>(numel(targets_[0].shape)));
  kept.escalated.resize(kept.truths.size());
}

std::map<std::string, Judged, std::less<>> JudgedTargets::judged(const std::string& why) const {
  std::map<std::string, Judged, std::less<>> judged;
  for (const Target& t : targets_)
    judged.emplace(t.name, Judged{t.comparison.finish(), why, t.escalated, 0});
  return judged;
}

}  // namespace gradproof
