// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/tensor.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::byte kPoison{0xFF};

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

std::int64_t numel(const Shape& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

Layout Layout::contiguous(const Shape& shape) {
  Layout layout{shape, Shape(shape.size(), 1), 0, gradproof::numel(shape)};
  for (std::size_t d = shape.size(); d-- > 1;) layout.strides[d - 1] = layout.strides[d] * shape[d];
  return layout;
}

std::int64_t Layout::position(std::int64_t index) const {
  std::int64_t at = offset;
  for (std::size_t d = shape.size(); d-- > 0;) {
    at += index % shape[d] * strides[d];
    index /= shape[d];
  }
  return at;
}

bool Layout::is_contiguous() const { return strides == contiguous(shape).strides; }

bool Layout::is_sparse() const {
  return capacity > (std::int64_t{1} << 31) && capacity / 64 > gradproof::numel(shape);
}

Tensor::Tensor(DType dtype, Layout layout)
    : dtype_(dtype),
      layout_(std::move(layout)),
      numel_(gradproof::numel(layout_.shape)),
      dense_(layout_.is_contiguous()),
      bytes_(static_cast<std::size_t>(layout_.capacity) * size_of(dtype), kPoison) {}

double Tensor::at(std::int64_t index) const {
  const std::byte* from =
      bytes_.data() + static_cast<std::size_t>(position(index)) * size_of(dtype_);
  if (dtype_ == DType::f32) return static_cast<double>(load_number<float>(from));
  if (dtype_ == DType::f64) return load_number<double>(from);
  if (dtype_ != DType::i64) return from_bits16(dtype_, load_number<std::uint16_t>(from));
  return static_cast<double>(load_number<std::int64_t>(from));
}

void Tensor::read(std::int64_t first, std::int64_t stride, std::int64_t count, double* into) const {
  if (!dense_) {
    for (std::int64_t i = 0; i < count; ++i) into[i] = at(first + i * stride);
    return;
  }
  const auto bytes = static_cast<std::int64_t>(size_of(dtype_));
  read_numbers(dtype_, this->first() + first * bytes, stride * bytes, count, into);
}

void Tensor::read_lines(std::int64_t first, std::int64_t stride, const LineCounts& counts,
                        double* into) const {
  if (!dense_) {
    for (std::int64_t line = 0; line < counts.lines; ++line)
      read(first + line * stride, 1, counts.of_line, into + line * counts.of_line);
    return;
  }
  const auto bytes = static_cast<std::int64_t>(size_of(dtype_));
  gradproof::read_lines(dtype_, this->first() + first * bytes, stride * bytes, counts, into);
}

void Tensor::set(std::int64_t index, double value) {
  std::byte* to = bytes_.data() + static_cast<std::size_t>(position(index)) * size_of(dtype_);
  if (dtype_ == DType::f32) return store(to, static_cast<float>(value));
  if (dtype_ == DType::f64) return store(to, value);
  if (dtype_ != DType::i64) return store(to, to_bits16(dtype_, value));
  store(to, static_cast<std::int64_t>(value));
}

void Tensor::write(std::int64_t first, std::int64_t count, const double* from) {
  if (!dense_ || (dtype_ != DType::f32 && dtype_ != DType::f64)) {
    for (std::int64_t i = 0; i < count; ++i) set(first + i, from[i]);
    return;
  }
  std::byte* const to = bytes_.data() + static_cast<std::size_t>(position(first)) * size_of(dtype_);
  if (dtype_ == DType::f64) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i)
    store(to + i * static_cast<std::int64_t>(sizeof(float)), static_cast<float>(from[i]));
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const std::size_t bytes = size_of(a.dtype());
  if (a.is_dense() && b.is_dense())
    return std::equal(a.first(), a.first() + static_cast<std::size_t>(a.numel()) * bytes,
                      b.first());
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const auto at = static_cast<std::size_t>(a.position(i)) * bytes;
    const auto bt = static_cast<std::size_t>(b.position(i)) * bytes;
    if (std::memcmp(a.bytes().data() + at, b.bytes().data() + bt, bytes) != 0) return false;
  }
  return true;
}

const Tensor& get(const Tensors& tensors, std::string_view name) {
  const auto found = tensors.find(name);
  if (found != tensors.end()) return found->second;
  std::vector<std::string_view> known;
  for (const auto& [key, tensor] : tensors) known.push_back(key);
  throw InstrumentError(fmt::format("no tensor '{}'; present: {}", name, fmt::join(known, " ")));
}

std::string index_text(const Shape& shape, std::int64_t index) {
  std::vector<std::int64_t> at(shape.size());
  if (numel(shape) == 0) return "[]";
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(at, ","));
}

}  // namespace gradproof
