// SPDX-License-Identifier: Apache-2.0
// These hypotheses change the range of numbers over which a gradient sums whose terms no node has,
// as those of a product's weight: the cotangent is 0 elsewhere.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

/// The range of numbers along an axis that are summed.
struct Summed {
  std::string axis;
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// Sets the cotangent to 0 where its numbers are not summed.
void leave_out(const Summed& summed, const Line& line, Tensor& cotangent) {
  for (std::int64_t i = 0; i < cotangent.numel(); ++i)
    if (line.along(i) < summed.first || line.along(i) >= summed.end) cotangent.set(i, 0);
}

Change over(Summed summed) {
  return [summed = std::move(summed)](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    for (const std::string& output : asked.claim.graph.outputs) {
      const std::vector<std::string>& axes = asked.claim.graph.axes_of(output);
      const auto found = changed->inputs.find(cotangent_name(output));
      if (found != changed->inputs.end() && has_name(axes, summed.axis))
        leave_out(summed, line_along(asked.claim.extents, axes, summed.axis), found->second);
    }
    return changed;
  };
}

void add_along(const std::string& axis, std::int64_t extent, Hypotheses& all) {
  const auto add = [&](std::int64_t first, std::int64_t end, std::string text) {
    all.push_back(changed_to(std::move(text), over({axis, first, end}), Rank::way_back));
  };
  add(0, extent - 1, fmt::format("summed over all {} but the last", axis));
  add(1, extent, fmt::format("summed over all {} but the first", axis));
  std::set<std::int64_t> ends;
  for (std::int64_t block = 2; block < extent; block *= 2) {
    ends.insert(block);
    ends.insert(extent / block * block);
  }
  for (const std::int64_t end : ends)
    if (end < extent - 1)
      add(0, end, fmt::format("summed over the first {} of {} {} alone", end, extent, axis));
}

}  // namespace

void add_masked_sums(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  if (!whole.is_gradient()) return;
  const std::vector<std::string>& own = graph.axes_of(tensor_of_gradient(whole.name));
  for (const auto& [axis, extent] : whole.claim.extents) {
    const auto has_axis = [&](const std::string& output) {
      return has_name(graph.axes_of(output), axis);
    };
    if (extent > 1 && !has_name(own, axis) && std::ranges::any_of(graph.outputs, has_axis))
      add_along(axis, extent, all);
  }
}

}  // namespace gradproof::diagnosis
