// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/hard_numbers.h"

#include <cmath>
#include <limits>
#include <map>

namespace gradproof {
namespace {

std::vector<double> numbers_of(DType dtype) {
  if (dtype == DType::i64) return {0, 1, 0x1p24, 0x1p24 + 1};
  const int p = precision_of(dtype);
  const double ulp = std::ldexp(1.0, 1 - p);  // of 1
  const double normal = std::ldexp(1.0, min_exponent_of(dtype));
  const double largest = largest_finite(dtype);
  const std::vector<double> positive{
      0,           normal * ulp,      normal - normal * ulp,
      normal,      std::sqrt(normal), ulp / 2,
      ulp,         1 - ulp / 2,       1,
      1 + ulp,     1 / ulp,           std::sqrt(largest),
      largest / 2, largest,           std::numeric_limits<double>::infinity(),
  };
  std::vector<double> all;
  for (const double number : positive) {
    const double rounded = round_to(dtype, number);
    all.insert(all.end(), {rounded, -rounded});
  }
  all.push_back(std::numeric_limits<double>::quiet_NaN());
  return all;
}

}  // namespace

const std::vector<double>& hard_numbers(DType dtype) {
  static const std::map<DType, std::vector<double>> all{
      {DType::f32, numbers_of(DType::f32)}, {DType::f64, numbers_of(DType::f64)},
      {DType::f16, numbers_of(DType::f16)}, {DType::bf16, numbers_of(DType::bf16)},
      {DType::i64, numbers_of(DType::i64)},
  };
  return all.at(dtype);
}

}  // namespace gradproof
