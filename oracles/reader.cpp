// SPDX-License-Identifier: Apache-2.0
#include "oracles/reader.h"

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

/// A rectangle of a matrix in memory: `outer` times `inner` elements, strides in bytes.
struct Rectangle {
  const std::byte* first;
  std::int64_t outer, outer_stride;
  std::int64_t inner, inner_stride;
};

/// Element (i, j) goes to out[i * outer_step + j * inner_step].
template <class Convert>
void copy(const Rectangle& from, double* out, std::int64_t outer_step, std::int64_t inner_step,
          const Convert& convert) {
  for (std::int64_t i = 0; i < from.outer; ++i) {
    const std::byte* at = from.first + i * from.outer_stride;
    for (std::int64_t j = 0; j < from.inner; ++j)
      out[i * outer_step + j * inner_step] = convert(at + j * from.inner_stride);
  }
}

void copy(DType dtype, const Rectangle& from, double* out, std::int64_t outer_step,
          std::int64_t inner_step) {
  const auto with = [&](const auto& convert) { copy(from, out, outer_step, inner_step, convert); };
  switch (dtype) {
    case DType::f32:
      return with([](const std::byte* at) { return static_cast<double>(load<float>(at)); });
    case DType::f64:
      return with([](const std::byte* at) { return load<double>(at); });
    case DType::bf16:
      return with([](const std::byte* at) {
        const auto bits = static_cast<std::uint32_t>(load<std::uint16_t>(at)) << 16;
        return static_cast<double>(std::bit_cast<float>(bits));
      });
    case DType::f16:
      return with(
          [](const std::byte* at) { return from_bits16(DType::f16, load<std::uint16_t>(at)); });
    case DType::i64:
      return with([](const std::byte* at) { return static_cast<double>(load<std::int64_t>(at)); });
  }
}

}  // namespace

void BatchNumbers::read(const Tensor& matrix, const Batch& batch) {
  numbers_.resize(static_cast<std::size_t>(batch.units * pitch()));
  const Layout& layout = matrix.layout();
  const auto bytes = static_cast<std::int64_t>(size_of(matrix.dtype()));
  const std::int64_t row_stride = layout.strides[0] * bytes;
  const std::int64_t col_stride = layout.strides[1] * bytes;
  const bool channels = geometry_.channels();
  const std::int64_t column = channels ? batch.block * geometry_.columns() : batch.block;
  const std::byte* first =
      matrix.bytes().data() + layout.offset * bytes + batch.row * row_stride + column * col_stride;
  const std::int64_t rows = channels ? batch.units : geometry_.unit_size();
  const std::int64_t columns = channels ? geometry_.columns() : batch.units;
  copy(matrix.dtype(), {first, rows, row_stride, columns, col_stride}, numbers_.data(),
       channels ? pitch() : 1, channels ? 1 : pitch());
}

}  // namespace gradproof
