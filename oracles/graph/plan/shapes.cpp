// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/shapes.h"

namespace gradproof {

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  std::int64_t all = 1;
  for (const std::int64_t extent : extents) all *= extent;
  return all;
}

std::int64_t stride_of(const PlanValue& value, const std::string& axis) {
  std::int64_t stride = 1;
  for (std::size_t k = value.axes.size(); k-- > 0;) {
    if (value.axes[k] == axis) return stride;
    stride *= value.extents[k];
  }
  return 0;
}

IndexMap places_in(const PlanValue& to, const std::vector<std::string>& axes,
                   const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> strides;
  for (const std::string& axis : axes) strides.push_back(stride_of(to, axis));
  IndexMap map(static_cast<std::size_t>(product_of(extents)));
  each_index(extents, [&](std::int64_t i, const std::vector<std::int64_t>& index) {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < index.size(); ++k) place += index[k] * strides[k];
    map[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(place);
  });
  return map;
}

IndexMap map_between(const PlanValue& from, const PlanValue& to) {
  if (from.axes == to.axes) return {};
  return places_in(to, from.axes, from.extents);
}

}  // namespace gradproof
