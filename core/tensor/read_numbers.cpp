// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/read_numbers.h"

#include <bit>
#include <cstring>

namespace gradproof {
namespace {

/// float16 as double without a branch: its bits, shifted into a float's, are the number times
/// 2^-112; the largest exponent becomes the largest again.
double from_half(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fff) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = (bits & 0x7c00) == 0x7c00 ? 0x7f800000u : 0u;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  return static_cast<double>(
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign));
}

double from_bfloat(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Converts numbers that lie `stride` bytes apart to doubles, with vectors where they lie together.
template <class Stored, class Convert>
void convert_line(const std::byte* from, std::int64_t stride, std::int64_t count, double* out,
                  const Convert& convert) {
  constexpr std::int64_t kSize = sizeof(Stored);
  if (stride == kSize)
    for (std::int64_t j = 0; j < count; ++j)
      out[j] = convert(load_number<Stored>(from + j * kSize));
  else
    for (std::int64_t j = 0; j < count; ++j)
      out[j] = convert(load_number<Stored>(from + j * stride));
}

/// Calls read.operator()<Stored>(convert) for the type that numbers have in memory.
template <class Read>
void with_stored(DType dtype, const Read& read) {
  const auto as_double = [](auto v) { return static_cast<double>(v); };
  switch (dtype) {
    case DType::f32:
      return read.template operator()<float>(as_double);
    case DType::f64:
      return read.template operator()<double>(as_double);
    case DType::bf16:
      return read.template operator()<std::uint16_t>(from_bfloat);
    case DType::f16:
      return read.template operator()<std::uint16_t>(from_half);
    case DType::i64:
      return read.template operator()<std::int64_t>(as_double);
  }
}

/// The lines that are fetched ahead: each takes some 20 ns of work, against a latency of 100 to
/// 300 ns for the memory and the page's entry.
constexpr std::int64_t kLinesAhead = 16;

}  // namespace

void read_numbers(DType dtype, const std::byte* from, std::int64_t stride, std::int64_t count,
                  double* into) {
  with_stored(dtype, [&]<class Stored>(const auto& convert) {
    convert_line<Stored>(from, stride, count, into, convert);
  });
}

void read_lines(DType dtype, const std::byte* from, std::int64_t stride, const LineCounts& counts,
                double* into) {
  with_stored(dtype, [&]<class Stored>(const auto& convert) {
    for (std::int64_t line = 0; line < counts.lines; ++line) {
      const std::byte* const first = from + line * stride;
      if (line + kLinesAhead < counts.lines) __builtin_prefetch(first + kLinesAhead * stride);
      convert_line<Stored>(first, sizeof(Stored), counts.of_line, into + line * counts.of_line,
                           convert);
    }
  });
}

}  // namespace gradproof
