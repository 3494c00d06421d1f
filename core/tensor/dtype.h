// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gradproof {

enum class DType { f32, f64, f16, bf16, i64 };

/// The bytes of one element.
std::size_t size_of(DType dtype);

std::string_view name_of(DType dtype);

/// Throws UsageError for an unknown name. f16 is IEEE binary16, and bf16 is bfloat16.
DType parse_dtype(std::string_view text);

/// The significand bits p, the hidden one included: 24 for f32, 11 for f16, 8 for bf16, 64 for i64.
int precision_of(DType dtype);

/// The exponent of the smallest normal number: -126 for f32; 0 for integers.
int min_exponent_of(DType dtype);

/// The largest relative error of one rounding to nearest, u = 2^-p; 0 for integers.
double unit_roundoff(DType dtype);

/// The largest absolute error of one rounding in the subnormal range: half the smallest subnormal,
/// 2^-150 for f32; 0 for integers. For f64, where half is no double, it is the smallest subnormal.
double underflow_unit(DType dtype);

/// The largest finite number; 2^53 for integers.
double largest_finite(DType dtype);

/// A double rounded once, to nearest even, to the dtype (integers: truncated) and read back.
double round_to(DType dtype, double value);

/// hi + lo, hi the nearest double, rounded once to nearest even. The sum is first rounded to odd in
/// double: rounded to hi first, a number beside a tie would become the tie (Boldo, Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE TC
/// 2008).
double round_to(DType dtype, double hi, double lo);

/// The 16 bits of a number in f16 or bf16, rounded once from double.
std::uint16_t to_bits16(DType dtype, double value);

/// The number that 16 bits stand for, which is exact.
double from_bits16(DType dtype, std::uint16_t bits);

}  // namespace gradproof
