// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/products.h"

#include "oracles/graph/plan/shapes.h"

namespace gradproof {
namespace {

/// The contraction of two factors over the axes that both have and the result has not.
SumsOfProducts contraction(const PlanValue& left, const PlanValue& right, const PlanValue& result) {
  std::vector<std::string> summed;
  std::vector<std::int64_t> extents;
  for (std::size_t k = 0; k < left.axes.size(); ++k) {
    if (has_name(result.axes, left.axes[k])) continue;
    summed.push_back(left.axes[k]);
    extents.push_back(left.extents[k]);
  }
  return {places_in(left, result.axes, result.extents),
          places_in(right, result.axes, result.extents), places_in(left, summed, extents),
          places_in(right, summed, extents)};
}

}  // namespace

std::vector<SumsOfProducts> products_of(const PlanValue& first, const PlanValue& second,
                                        const PlanValue& value) {
  return {contraction(first, second, value), contraction(value, second, first),
          contraction(value, first, second)};
}

}  // namespace gradproof
