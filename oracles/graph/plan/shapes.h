// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/graph/plan/plan.h"

namespace gradproof {

std::int64_t product_of(const std::vector<std::int64_t>& extents);

/// The row-major stride of a value along the axis; 0 where it lacks the axis.
std::int64_t stride_of(const PlanValue& value, const std::string& axis);

/// Calls visit(place, indices) for each element of these extents in row-major order.
template <class Visit>
void each_index(const std::vector<std::int64_t>& extents, const Visit& visit) {
  std::vector<std::int64_t> index(extents.size(), 0);
  const std::int64_t count = product_of(extents);
  for (std::int64_t i = 0; i < count; ++i) {
    visit(i, index);
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < extents[k]) break;
      index[k] = 0;
    }
  }
}
template <class Visit>
void each_element(const PlanValue& of, const Visit& visit) {
  each_index(of.extents, visit);
}

/// The place in `to` of each number over those axes, 0 along an axis that `to` lacks.
IndexMap places_in(const PlanValue& to, const std::vector<std::string>& axes,
                   const std::vector<std::int64_t>& extents);

/// The place in `to` of each element of `from`; empty where both have the same axes in the same
/// order.
IndexMap map_between(const PlanValue& from, const PlanValue& to);

}  // namespace gradproof
