// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/unit_sums.h"

#include <cmath>

namespace gradproof {

std::size_t unit_of(const Claim& claim, std::int64_t index) {
  const std::int64_t row = index / claim.cols;
  const std::int64_t col = index % claim.cols;
  const std::int64_t unit = claim.groups > 0 ? row * claim.groups + col / claim.block_width() : col;
  return static_cast<std::size_t>(unit);
}

std::size_t units_of(const Claim& claim) {
  return static_cast<std::size_t>(claim.groups > 0 ? claim.rows * claim.groups : claim.cols);
}

std::vector<GradientSum> unit_sums(const Claim& claim, const Tensor& matrix) {
  std::vector<GradientSum> sums(units_of(claim));
  for (std::int64_t i = 0; i < matrix.numel(); ++i) {
    const auto value = static_cast<long double>(matrix.at(i));
    GradientSum& unit = sums[unit_of(claim, i)];
    unit.sum += value;
    unit.size += std::abs(value);
  }
  return sums;
}

Shape shape_of_units(const Claim& claim) {
  return claim.groups > 0 ? Shape{claim.rows, claim.groups} : Shape{claim.cols};
}

}  // namespace gradproof
