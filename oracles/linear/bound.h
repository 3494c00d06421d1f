// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "core/compare/comparison.h"

namespace gradproof {

/// n u / (1 - n u), rounded up; infinite from n u = 1 (Higham 2002, 3.1).
double gamma_of(std::int64_t n, double unit);

inline constexpr double kSingleUnit = 0x1p-24;
inline constexpr double kDoubleUnit = 0x1p-53;

/// All numbers of a matrix are multiples of `quantum`, and none is larger than `largest`. `quantum`
/// is 0 if more than 24 bits lie between the two, as then sums are not exact in float32.
struct Lattice {
  double quantum = 0;
  double largest = 0;
  bool fine() const { return quantum == 0; }
  /// The lattice of the products of two matrices' numbers.
  Lattice operator*(const Lattice& other) const;
};

/// The lattice of a float32 matrix with any strides.
Lattice lattice_of(const at::Tensor& matrix);

/// The truth's radius and the permitted error of a sum of products in float32, in any order, with
/// or without fma (Higham 2002, "Accuracy and Stability of Numerical Algorithms", 3.1 and 3.5):
///   |got - truth| <= gamma_n (|a||b| + |bias|) + k eta,   gamma_n = n u / (1 - n u),
/// n = k for k products, k + 1 with a bias. The truth is the float64 product, whose radius is the
/// same bound with u = 2^-53. If every partial sum is a multiple of the lattices' quantum with at
/// most 24 bits, nothing is rounded: bound and radius are 0.
class ProductBound {
 public:
  ProductBound(std::int64_t count, const Lattice& products,
               const std::optional<Lattice>& bias = std::nullopt);

  /// `value` is the product in float64; `magnitude` is |a||b| or more, as a sum of at most `count`
  /// products in float64.
  Truth truth(double value, double magnitude, double bias) const;
  std::string why() const;

  bool exact() const { return exact_; }
  double quantum() const { return quantum_; }  ///< exact results are multiples of it, at most 2^24
  double relative() const { return relative_; }  ///< gamma_n of float32
  double absolute() const { return absolute_; }  ///< k eta
  std::int64_t count() const { return count_; }
  std::int64_t roundings() const { return roundings_; }

 private:
  std::int64_t count_, roundings_;
  bool exact_;
  double quantum_, relative_, radius_, inflation_, absolute_;
};

/// The bound of a sum of n numbers: |got - truth| <= gamma_(n-1) sum |numbers|. `magnitude` is that
/// sum, computed in float64.
class SumBound {
 public:
  SumBound(std::int64_t count, const Lattice& numbers);
  Truth truth(double value, double magnitude) const;
  std::string why() const;

 private:
  std::int64_t roundings_;
  bool exact_;
  double relative_, radius_;
};

}  // namespace gradproof
