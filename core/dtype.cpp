// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <array>
#include <cfloat>
#include <cmath>

#include "core/error.h"

namespace gradproof {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
  int precision;
  int min_exponent;
  double largest;
};

constexpr std::array kRows{
    Row{DType::f32, "f32", 4, 24, -126, FLT_MAX},
    Row{DType::f64, "f64", 8, 53, -1022, DBL_MAX},
    Row{DType::i64, "i64", 8, 64, 0, 9007199254740992.0},
};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t size_of(DType dtype) { return row(dtype).bytes; }
std::string_view name_of(DType dtype) { return row(dtype).name; }
int precision_of(DType dtype) { return row(dtype).precision; }
int min_exponent_of(DType dtype) { return row(dtype).min_exponent; }
double largest_finite(DType dtype) { return row(dtype).largest; }

DType parse_dtype(std::string_view text) {
  for (const Row& r : kRows)
    if (r.name == text) return r.dtype;
  throw UsageError("unknown dtype '" + std::string(text) + "'; known: f32 f64 i64");
}

double unit_roundoff(DType dtype) {
  return dtype == DType::i64 ? 0.0 : std::ldexp(1.0, -precision_of(dtype));
}

double underflow_unit(DType dtype) {
  if (dtype == DType::i64) return 0.0;
  if (dtype == DType::f64) return DBL_TRUE_MIN;
  return std::ldexp(1.0, min_exponent_of(dtype) - precision_of(dtype));
}

double round_to(DType dtype, double value) {
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (dtype == DType::i64) return std::trunc(value);
  return value;
}

}  // namespace gradproof
