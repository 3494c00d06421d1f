// SPDX-License-Identifier: Apache-2.0
#include "core/discrepancy.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/comparison.h"
#include "core/error.h"

namespace gradproof {

double ulp_error(double error, double truth, DType dtype) {
  if (dtype == DType::i64) return error;
  const int lowest = min_exponent_of(dtype);
  const int exponent = truth == 0 ? lowest : std::max(std::ilogb(truth), lowest);
  return std::ldexp(error, precision_of(dtype) - 1 - exponent);
}

Discrepancy compare(const Tensor& got, const Answer& want) {
  if (got.numel() != want.size())
    throw InstrumentError(
        fmt::format("{} elements against {} of the truth", got.numel(), want.size()));
  Comparison comparison(got.dtype());
  for (std::int64_t index = 0; index < got.numel(); ++index) {
    const auto i = static_cast<std::size_t>(index);
    const bool any = !want.any_nonfinite.empty() && want.any_nonfinite[i] != 0;
    comparison.add(index, got.at(index),
                   {want.hi[i], want.lo[i], want.radius[i], want.bound[i], any});
  }
  return comparison.finish(got.shape());
}

}  // namespace gradproof
