// SPDX-License-Identifier: Apache-2.0
#include "oracles/pipeline/reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gradproof {
namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

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

/// A line of numbers in memory, its stride in bytes, as doubles; vectors where they lie together.
template <class Stored, class Convert>
void convert_line(const std::byte* from, std::int64_t stride, std::int64_t count, double* out,
                  const Convert& convert) {
  constexpr std::int64_t kSize = sizeof(Stored);
  if (stride == kSize)
    for (std::int64_t j = 0; j < count; ++j) out[j] = convert(load<Stored>(from + j * kSize));
  else
    for (std::int64_t j = 0; j < count; ++j) out[j] = convert(load<Stored>(from + j * stride));
}

void convert_line(DType dtype, const std::byte* from, std::int64_t stride, std::int64_t count,
                  double* out) {
  const auto as_double = [](auto v) { return static_cast<double>(v); };
  switch (dtype) {
    case DType::f32:
      return convert_line<float>(from, stride, count, out, as_double);
    case DType::f64:
      return convert_line<double>(from, stride, count, out, as_double);
    case DType::bf16:
      return convert_line<std::uint16_t>(from, stride, count, out, from_bfloat);
    case DType::f16:
      return convert_line<std::uint16_t>(from, stride, count, out, from_half);
    case DType::i64:
      return convert_line<std::int64_t>(from, stride, count, out, as_double);
  }
}

/// A rectangle of a matrix in memory, strides in bytes.
struct Rectangle {
  DType dtype;
  const std::byte* first;
  std::int64_t rows, row_stride;
  std::int64_t columns, column_stride;
};

/// Columns one after the other, `pitch` apart: by tiles that stay in the fastest cache. Each row is
/// a page of its own, which no hardware foresees: the rows of the tile after next are asked for.
void copy_columns(const Rectangle& from, double* out, std::int64_t pitch) {
  constexpr std::int64_t kTile = 16;
  double tile[kTile][kTile];
  for (std::int64_t left = 0; left < from.columns; left += kTile)
    for (std::int64_t top = 0; top < from.rows; top += kTile) {
      const std::int64_t columns = std::min(kTile, from.columns - left);
      const std::int64_t rows = std::min(kTile, from.rows - top);
      const std::byte* at = from.first + top * from.row_stride + left * from.column_stride;
      for (std::int64_t i = 2 * kTile; i < std::min(3 * kTile, from.rows - top); ++i)
        __builtin_prefetch(at + i * from.row_stride);
      for (std::int64_t i = 0; i < rows; ++i)
        convert_line(from.dtype, at + i * from.row_stride, from.column_stride, columns, tile[i]);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) out[(left + j) * pitch + top + i] = tile[i][j];
    }
}

void copy_rows(const Rectangle& from, double* out, std::int64_t pitch) {
  for (std::int64_t i = 0; i < from.rows; ++i)
    convert_line(from.dtype, from.first + i * from.row_stride, from.column_stride, from.columns,
                 out + i * pitch);
}

}  // namespace

void BatchNumbers::read(const Tensor& matrix, const Batch& batch) {
  numbers_.resize(static_cast<std::size_t>(batch.units * pitch()));
  const Layout& layout = matrix.layout();
  const auto bytes = static_cast<std::int64_t>(size_of(matrix.dtype()));
  const std::int64_t row_stride = layout.strides[0] * bytes;
  const std::int64_t column_stride = layout.strides[1] * bytes;
  const bool channels = geometry_.is_grouped();
  const std::int64_t column = channels ? batch.block * geometry_.columns() : batch.block;
  const std::byte* first = matrix.bytes().data() + layout.offset * bytes + batch.row * row_stride +
                           column * column_stride;
  const std::int64_t rows = channels ? batch.units : geometry_.unit_size();
  const std::int64_t columns = channels ? geometry_.columns() : batch.units;
  const Rectangle rectangle{matrix.dtype(), first, rows, row_stride, columns, column_stride};
  if (channels)
    copy_rows(rectangle, numbers_.data(), pitch());
  else
    copy_columns(rectangle, numbers_.data(), pitch());
}

}  // namespace gradproof
