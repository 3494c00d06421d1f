// SPDX-License-Identifier: Apache-2.0
#include "core/compare/discrepancy.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/compare/comparison.h"
#include "core/error.h"

namespace gradproof {

NumberClass class_of(double value) {
  if (std::isfinite(value)) return NumberClass::finite;
  if (std::isnan(value)) return NumberClass::nan;
  return value > 0 ? NumberClass::plus_infinity : NumberClass::minus_infinity;
}

std::string_view name_of(NumberClass number_class) {
  constexpr std::array<std::string_view, kClasses> kNames{"a finite number", "NaN", "+Inf", "-Inf"};
  return kNames[static_cast<std::size_t>(number_class)];
}

std::string class_text(const Discrepancy& d) {
  std::string text;
  for (std::size_t wanted = 0; wanted < kClasses; ++wanted)
    for (std::size_t got = 0; got < kClasses; ++got)
      if (const std::int64_t count = d.classes[wanted][got]; count > 0)
        text += fmt::format("{}got {} where {} is wanted: {}", text.empty() ? "" : "; ",
                            name_of(static_cast<NumberClass>(got)),
                            name_of(static_cast<NumberClass>(wanted)), count);
  return text;
}

double ulp_error(double error, double truth, DType dtype) {
  if (dtype == DType::i64) return error;
  const int lowest = min_exponent_of(dtype);
  const int exponent = truth == 0 ? lowest : std::max(std::ilogb(truth), lowest);
  const int precision = precision_of(dtype);
  return std::min(std::ldexp(error, precision - 1 - exponent), std::ldexp(1.0, precision));
}

Discrepancy compare(const Tensor& got, const Answer& want, std::int64_t group_width) {
  if (got.numel() != want.size())
    throw InstrumentError(
        fmt::format("{} elements against {} of the truth", got.numel(), want.size()));
  Comparison comparison(got.dtype(), got.shape(), group_width);
  for (std::int64_t index = 0; index < got.numel(); ++index) {
    const auto i = static_cast<std::size_t>(index);
    const bool any = !want.any_nonfinite.empty() && want.any_nonfinite[i] != 0;
    comparison.add(index, got.at(index),
                   {want.hi[i], want.lo[i], want.radius[i], want.bound[i], any});
  }
  return comparison.finish();
}

}  // namespace gradproof
