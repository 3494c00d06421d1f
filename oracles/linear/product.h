// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/tensor/tensor.h"
#include "oracles/linear/bound.h"
#include "oracles/linear/linear.h"

namespace gradproof {

/// The product a b + bias and a result `got` to compare with it; all float32.
struct Product {
  at::Tensor a;     ///< (rows, count), any strides
  at::Tensor b;     ///< (count, cols), any strides
  at::Tensor bias;  ///< (cols), or undefined
  const Tensor* got;

  std::int64_t rows() const { return a.size(0); }
  std::int64_t count() const { return a.size(1); }
  std::int64_t cols() const { return b.size(1); }
  double multiplications() const {
    return static_cast<double>(rows()) * static_cast<double>(cols()) * static_cast<double>(count());
  }
  const float* numbers() const { return reinterpret_cast<const float*>(got->first()); }
};

ProductBound bound_of(const Product& product);

/// The count of rows of a, or columns of b, to hold at a time: 1 to `most`, and at most 128 MiB as
/// float64.
std::int64_t tile_of(std::int64_t extent, std::int64_t count, std::int64_t most);

/// The count of neighbours along the sum that the Cauchy-Schwarz inequality bounds together: 1,
/// which gives |A||B| itself, if that product is cheap; otherwise 16.
std::int64_t chunk_of(const Product& product);

/// Euclidean norms of chunks, float64: along each row of (rows, count), as (rows, chunks); along
/// each column of (count, cols), as (chunks, cols). row_norms(a) column_norms(b) >= |a||b|, but for
/// rounding.
at::Tensor row_norms(const at::Tensor& a64, std::int64_t chunk);
at::Tensor column_norms(const at::Tensor& b64, std::int64_t chunk);

inline void put(Truths& all, std::size_t i, const Truth& truth) {
  all.hi[i] = truth.hi;
  all.lo[i] = truth.lo;
  all.radius[i] = truth.radius;
  all.bound[i] = truth.bound;
  all.any_nonfinite[i] = truth.any_nonfinite;
}

/// Compares every element with the float64 product.
LinearJudged compare_in_full(const Product& product);

/// Value, radius and permitted error of every element; `got` is not read.
LinearTruth truth_of_product(const Product& product);

}  // namespace gradproof
