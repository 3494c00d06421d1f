// SPDX-License-Identifier: Apache-2.0
#include "oracles/pipeline/reader.h"

#include <algorithm>

#include "core/tensor/read_numbers.h"

namespace gradproof {
namespace {

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
        read_numbers(from.dtype, at + i * from.row_stride, from.column_stride, columns, tile[i]);
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t i = 0; i < rows; ++i) out[(left + j) * pitch + top + i] = tile[i][j];
    }
}

void copy_rows(const Rectangle& from, double* out, std::int64_t pitch) {
  for (std::int64_t i = 0; i < from.rows; ++i)
    read_numbers(from.dtype, from.first + i * from.row_stride, from.column_stride, from.columns,
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
