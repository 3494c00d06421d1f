// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/products.h"

#include "core/graph/stages.h"
#include "oracles/graph/plan/convolution.h"
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
  SumsOfProducts sums;
  sums.left_of = places_in(left, result.axes, result.extents);
  sums.right_of = places_in(right, result.axes, result.extents);
  sums.left_term = places_in(left, summed, extents);
  sums.right_term = places_in(right, summed, extents);
  sums.length = std::ssize(sums.left_term);
  return sums;
}

}  // namespace

std::vector<SumsOfProducts> products_of(const GraphStep& step, const PlanValue& first,
                                        const PlanValue& second, const PlanValue& value) {
  if (graph_stage(step.stage).convolves()) return Convolution(step, first, second, value).sums();
  return {contraction(first, second, value), contraction(value, second, first),
          contraction(value, first, second)};
}

}  // namespace gradproof
