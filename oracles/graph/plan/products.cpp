// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/products.h"

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

void add_products(PlanStep& step, const std::vector<PlanValue>& values, const GraphExtents& whole) {
  const auto operand = [&](std::size_t k) -> const PlanValue& {
    return values[static_cast<std::size_t>(step.operands[k])];
  };
  const PlanValue& value = values[static_cast<std::size_t>(step.value)];
  if (step.operands.size() > 2) step.bias_of = places_in(operand(2), value.axes, value.extents);
  if (!step.row->convolves()) {
    step.products = {contraction(operand(0), operand(1), value),
                     contraction(value, operand(1), operand(0)),
                     contraction(value, operand(0), operand(1))};
    return;
  }
  step.products = Convolution(*step.step, operand(0), operand(1), value).sums();
  step.products.back().stored_sums = whole.at(operand(0).axes.front());
}

}  // namespace gradproof
