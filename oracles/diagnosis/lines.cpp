// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/lines.h"

#include <algorithm>

#include "core/graph/name_rules.h"
#include "oracles/graph/plan/shapes.h"

namespace gradproof::diagnosis {

std::string value_named(const Graph& graph, const std::string& name) {
  for (const std::string& output : graph.outputs)
    if (cotangent_name(output) == name) return output;
  for (const GraphTensor& tensor : graph.tensors)
    if (gradient_name(tensor.name) == name) return tensor.name;
  return name;
}

std::vector<std::string> axes_named(const GraphClaim& claim, const std::string& name) {
  return claim.graph.axes_of(value_named(claim.graph, name));
}

std::vector<std::int64_t> places_between(const GraphExtents& extents,
                                         const std::vector<std::string>& from,
                                         const std::vector<std::string>& to) {
  const auto extents_of = [&](const std::vector<std::string>& axes) {
    std::vector<std::int64_t> all;
    for (const std::string& axis : axes) all.push_back(extents.at(axis));
    return all;
  };
  PlanValue target;
  target.axes = to;
  target.extents = extents_of(to);
  const IndexMap map = places_in(target, from, extents_of(from));
  return {map.begin(), map.end()};
}

std::vector<std::int64_t> places_of(const WrongTensor& whole, const std::string& name) {
  const std::vector<std::string> own = whole.axes();
  const std::vector<std::string> other = axes_named(whole.claim, name);
  const bool fits =
      std::ranges::all_of(other, [&](const std::string& axis) { return has_name(own, axis); });
  return fits ? places_between(whole.claim.extents, own, other) : std::vector<std::int64_t>();
}

Line line_along(const GraphExtents& extents, const std::vector<std::string>& axes,
                const std::string& axis) {
  Line line;
  const auto at = std::ranges::find(axes, axis);
  line.extent = extents.at(axis);
  for (auto behind = at + 1; behind < axes.end(); ++behind) line.behind *= extents.at(*behind);
  return line;
}

}  // namespace gradproof::diagnosis
