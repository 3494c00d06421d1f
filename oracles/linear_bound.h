// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/comparison.h"

namespace gradproof {

/// All numbers of a matrix are multiples of `quantum`, none is larger than `largest`. A matrix
/// without such a quantum worth having (over 24 bits between the two) has quantum 0.
struct Grid {
  double quantum = 0;
  double largest = 0;
  bool fine() const { return quantum == 0; }
  /// Of products.
  Grid operator*(const Grid& other) const;
};

/// Of a float32 matrix of any strides.
Grid grid_of(const at::Tensor& matrix);

/// The truth's radius and the permitted error of a sum of products in float32, in any order, with
/// or without fma (Higham 2002, "Accuracy and Stability of Numerical Algorithms", 3.1 and 3.5):
///   |got - truth| <= gamma_n (|a||b| + |bias|) + k eta,   gamma_n = n u / (1 - n u),
/// n = k for k products, k + 1 with a bias. The truth is the float64 product, whose radius is the
/// same with u = 2^-53. Where every partial sum is a multiple of the grids' quantum with at most 24
/// bits, nothing is ever rounded: bound and radius 0.
class ProductBound {
 public:
  ProductBound(std::int64_t count, const Grid& products,
               const std::optional<Grid>& bias = std::nullopt);

  /// `value` in float64; `magnitude` is |a||b| summed in float32.
  Truth truth(double value, double magnitude, double bias) const;
  std::string why() const;

 private:
  std::int64_t count_, roundings_;
  bool exact_;
  double relative_, radius_, inflation_, absolute_;
};

/// The same for a sum of n numbers: gamma_(n-1), `magnitude` in float64.
class SumBound {
 public:
  SumBound(std::int64_t count, const Grid& numbers);
  Truth truth(double value, double magnitude) const;
  std::string why() const;

 private:
  std::int64_t roundings_;
  bool exact_;
  double relative_, radius_;
};

}  // namespace gradproof
