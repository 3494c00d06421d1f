// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

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
    Row{DType::f16, "f16", 2, 11, -14, 65504.0},
    Row{DType::bf16, "bf16", 2, 8, -126, 0x1.FEp127},
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
  throw UsageError("unknown dtype '" + std::string(text) + "'; known: f32 f64 f16 bf16 i64");
}

double unit_roundoff(DType dtype) {
  return dtype == DType::i64 ? 0.0 : std::ldexp(1.0, -precision_of(dtype));
}

double underflow_unit(DType dtype) {
  if (dtype == DType::i64) return 0.0;
  if (dtype == DType::f64) return DBL_TRUE_MIN;
  return std::ldexp(1.0, min_exponent_of(dtype) - precision_of(dtype));
}

namespace {

/// To nearest even at the dtype's last place; exact in double, since it has bits to spare.
double rounded16(DType dtype, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), min_exponent_of(dtype));
  const int last_place = exponent - precision_of(dtype) + 1;
  const double near = std::ldexp(std::nearbyint(std::ldexp(value, -last_place)), last_place);
  const double infinity = std::numeric_limits<double>::infinity();
  return std::abs(near) > largest_finite(dtype) ? std::copysign(infinity, value) : near;
}

int exponent_bits(DType dtype) { return 16 - precision_of(dtype); }

}  // namespace

double round_to(DType dtype, double value) {
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (dtype == DType::f16 || dtype == DType::bf16) return rounded16(dtype, value);
  if (dtype == DType::i64) return std::trunc(value);
  return value;
}

double round_to(DType dtype, double hi, double lo) {
  if (dtype == DType::f64 || lo == 0 || !std::isfinite(hi)) return round_to(dtype, hi);
  // A sum between hi and its neighbour: the one of the two whose last bit is set.
  const bool odd = (std::bit_cast<std::uint64_t>(hi) & 1) != 0;
  return round_to(dtype, odd ? hi : std::nextafter(hi, std::copysign(HUGE_VAL, lo)));
}

std::uint16_t to_bits16(DType dtype, double value) {
  const int fraction = precision_of(dtype) - 1;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned top = (1u << exponent_bits(dtype)) - 1u;  // exponent field of Inf and NaN
  const double near = std::abs(rounded16(dtype, value));
  if (std::isnan(near)) return static_cast<std::uint16_t>(0x7FFFu | sign);
  if (std::isinf(near)) return static_cast<std::uint16_t>(sign | top << fraction);
  const int lowest = min_exponent_of(dtype);
  const int exponent = near == 0 ? lowest - 1 : std::ilogb(near);
  // A subnormal number is a multiple of the smallest one; its exponent field is 0.
  const int place = std::max(exponent, lowest) - fraction;
  const auto significand = static_cast<unsigned>(std::ldexp(near, -place));
  const unsigned field = exponent < lowest ? 0u : static_cast<unsigned>(exponent - lowest + 1);
  const unsigned hidden = field == 0 ? 0u : 1u << fraction;
  return static_cast<std::uint16_t>(sign | field << fraction | (significand - hidden));
}

double from_bits16(DType dtype, std::uint16_t bits) {
  const int fraction = precision_of(dtype) - 1;
  const unsigned field = (bits & 0x7FFFu) >> fraction;
  const unsigned rest = bits & ((1u << fraction) - 1u);
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const int lowest = min_exponent_of(dtype);
  if (field == (1u << exponent_bits(dtype)) - 1u)
    return rest == 0 ? sign * std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
  if (field == 0) return sign * std::ldexp(rest, lowest - fraction);
  return sign *
         std::ldexp(rest + (1u << fraction), static_cast<int>(field) - 1 + lowest - fraction);
}

}  // namespace gradproof
