// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/value_intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "oracles/graph/judge_graph.h"

namespace gradproof {
namespace {

/// The steps that a value is made by, and the value as their output.
GraphClaim forward_of(const GraphClaim& claim, const std::string& name) {
  std::set<std::string, std::less<>> needed{name};
  GraphPart steps;
  for (std::size_t k = claim.graph.steps.size(); k-- > 0;) {
    const GraphStep& s = claim.graph.steps[k];
    if (!needed.contains(s.value)) continue;
    steps.insert(steps.begin(), k);
    for (const GraphOperand& o : s.operands)
      if (!o.is_number()) needed.insert(o.name);
  }
  GraphClaim forward = claim;
  forward.graph = part_of(claim.graph, steps);
  forward.graph.outputs = {name};
  forward.statistics.clear();
  return forward;
}

bool is_finite(const Interval& one) { return std::isfinite(one.low) && std::isfinite(one.high); }

}  // namespace

/// A value is judged as if it were an output, so it is rounded once more than in between.
Intervals intervals_of(const GraphClaim& claim, const Tensors& inputs, const std::string& name) {
  Intervals all;
  if (const auto given = inputs.find(name); given != inputs.end()) {
    for (std::int64_t i = 0; i < given->second.numel(); ++i)
      all.push_back({given->second.at(i), given->second.at(i)});
    return all;
  }
  const Tensor like(claim.contract.result_dtype(name), claim.shape_of(name));
  const Truths truths = truths_of_graph(forward_of(claim, name), inputs, name, like).truths;
  for (std::size_t i = 0; i < truths.hi.size(); ++i) {
    const Truth t = truths.at(i);
    // 2^-50 is more than the sums here and the lower half of the truth.
    const double off = t.bound + t.radius + 0x1p-50 * std::abs(t.hi);
    all.push_back({t.hi - off, t.hi + off});
  }
  return all;
}

Interval interval_of(const GraphClaim& claim, double number) {
  const double u = claim.contract.functions.literal + unit_roundoff(claim.contract.accumulation);
  return {number - 2 * u * std::abs(number), number + 2 * u * std::abs(number)};
}

std::optional<std::vector<std::int64_t>> possible_extremes(const Intervals& all,
                                                           const std::vector<std::int64_t>& group,
                                                           bool smallest) {
  const auto turned = [&](std::int64_t i) -> Interval {
    const Interval& one = all[static_cast<std::size_t>(i)];
    return smallest ? Interval{-one.high, -one.low} : one;
  };
  double least = -std::numeric_limits<double>::infinity();
  for (const std::int64_t i : group) {
    if (!is_finite(turned(i))) return std::nullopt;
    least = std::max(least, turned(i).low);
  }
  std::vector<std::int64_t> possible;
  for (const std::int64_t i : group)
    if (turned(i).high >= least) possible.push_back(i);
  return possible;
}

}  // namespace gradproof
