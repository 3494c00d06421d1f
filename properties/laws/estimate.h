// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "core/compare/answer.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Numbers that a kernel gave, or that follow from them, each with the most by which it may differ
/// from the result of exact arithmetic. A bound is infinite where the contract's own arithmetic may
/// leave its range: nothing is said of that number then, which counts as 0.
struct Estimate {
  Shape shape;
  std::vector<long double> value;
  std::vector<long double> bound;

  std::size_t size() const { return value.size(); }
};

/// The numbers that the kernel gave, within the bounds of the answer. The answer's truth is used
/// only to see if the tensor's type can hold it.
Estimate estimate_of(const Tensor& got, const Answer& bounds);

/// Numbers that are known exactly.
Estimate exactly(const Shape& shape, std::vector<long double> values);
Estimate exactly(const Tensor& numbers);

/// The errors of the operands add; each operation adds one rounding of long double, 2^-64 of its
/// result.
Estimate operator+(const Estimate& a, const Estimate& b);
Estimate operator-(const Estimate& a, const Estimate& b);
Estimate operator*(long double factor, Estimate a);
Estimate operator*(const std::vector<long double>& factors, Estimate a);  ///< element by element

/// The estimate with result[i] = a[from(i)] for every i of the shape.
Estimate picked(const Estimate& a, const Shape& shape,
                const std::function<std::size_t(std::size_t)>& from);

/// The sum over i of factors[i] a[i], of shape {1}.
Estimate weighted_sum(const Estimate& a, const std::vector<long double>& factors);

}  // namespace gradproof
