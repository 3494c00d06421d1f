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

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// The exponent of the first bit of a number that is not 0, infinite or NaN; -1023 for a subnormal
/// number.
int exponent_of(double value) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - 1023;
}

/// Rounds to nearest even at the dtype's last place, exactly: a double has bits to spare.
double rounded16(DType dtype, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  double near = 0;
  if (exponent_of(value) >= min_exponent_of(dtype)) {
    // The bits behind the last place: a carry out of it goes on into the exponent, as it should.
    const int behind = DBL_MANT_DIG - precision_of(dtype);
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t below_half = (std::uint64_t{1} << (behind - 1)) - 1;
    near = std::bit_cast<double>((bits + below_half + (bits >> behind & 1)) >> behind << behind);
  } else {
    // The sum is rounded at its own last place, which is that of the dtype's subnormal numbers.
    const int last_place = min_exponent_of(dtype) - precision_of(dtype) + 1;
    const double magic = 1.5 * power_of_two(last_place + DBL_MANT_DIG - 1);
    near = std::copysign((value + magic) - magic, value);
  }
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
  // The sum lies between hi and its neighbour; rounding to odd takes the one whose last bit is set.
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
  if (near == 0) return static_cast<std::uint16_t>(sign);
  // A subnormal number is a multiple of the smallest one; its exponent field is 0.
  if (exponent_of(near) < lowest)
    return static_cast<std::uint16_t>(
        sign | static_cast<unsigned>(near * power_of_two(fraction - lowest)));
  const auto field = static_cast<unsigned>(exponent_of(near) - lowest + 1);
  const auto rest =
      static_cast<unsigned>(std::bit_cast<std::uint64_t>(near) >> (DBL_MANT_DIG - 1 - fraction)) &
      ((1u << fraction) - 1u);
  return static_cast<std::uint16_t>(sign | field << fraction | rest);
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
  const unsigned significand = field == 0 ? rest : rest + (1u << fraction);
  const int place = lowest - fraction + (field == 0 ? 0 : static_cast<int>(field) - 1);
  return sign * static_cast<double>(significand) * power_of_two(place);
}

}  // namespace gradproof
