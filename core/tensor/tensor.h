// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/read_numbers.h"

namespace gradproof {

using Shape = std::vector<std::int64_t>;

/// The product of the extents; 1 for a scalar's empty shape.
std::int64_t numel(const Shape& shape);

/// The place of a tensor in memory, in elements. Strides may be 0 (expanded) but never negative.
struct Layout {
  Shape shape;
  Shape strides;
  std::int64_t offset = 0;    ///< first element, from the start of the allocation
  std::int64_t capacity = 0;  ///< elements of the whole allocation

  static Layout contiguous(const Shape& shape);
  /// The position of the logical element (row-major linear index) in the allocation.
  std::int64_t position(std::int64_t index) const;
  bool is_contiguous() const;
  /// True if the allocation is large and nearly all of it is padding: strides beyond 2^32 test a
  /// kernel's index arithmetic. The host then keeps such a tensor contiguous.
  bool is_sparse() const;
};

/// A tensor as a kernel sees it, the same for both back-ends. An absent optional tensor has no
/// data.
struct View {
  void* data = nullptr;  ///< the first logical element
  DType dtype = DType::f32;
  Shape shape;
  Shape strides;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

/// A tensor in host memory. All bytes start as 0xFF, which is NaN in every floating type: an
/// element that nobody wrote can be recognised, and never equals an answer.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, const Shape& shape) : Tensor(dtype, Layout::contiguous(shape)) {}
  Tensor(DType dtype, Layout layout);

  DType dtype() const { return dtype_; }
  const Layout& layout() const { return layout_; }
  const Shape& shape() const { return layout_.shape; }
  std::int64_t numel() const { return numel_; }

  /// The element at a row-major logical index, exact for f32, f64 and integers up to 2^53.
  double at(std::int64_t index) const;
  /// Reads the elements with the row-major indices first, first + stride, ...
  void read(std::int64_t first, std::int64_t stride, std::int64_t count, double* into) const;
  /// Reads the elements of some lines, whose first elements lie `stride` elements apart.
  void read_lines(std::int64_t first, std::int64_t stride, const LineCounts& counts,
                  double* into) const;
  /// Stores the value rounded once to the dtype.
  void set(std::int64_t index, double value);
  /// Stores the numbers as the elements first, first + 1, ..., as set() does.
  void write(std::int64_t first, std::int64_t count, const double* from);

  /// The position of the logical element in the allocation, as layout().position(index).
  std::int64_t position(std::int64_t index) const {
    return dense_ ? layout_.offset + index : layout_.position(index);
  }
  /// True if the logical elements follow each other in row-major order.
  bool is_dense() const { return dense_; }

  /// The whole allocation, padding included.
  std::vector<std::byte>& bytes() { return bytes_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  /// A pointer to the first logical element.
  void* data() {
    return bytes_.data() + static_cast<std::size_t>(layout_.offset) * size_of(dtype_);
  }
  const std::byte* first() const {
    return bytes_.data() + static_cast<std::size_t>(layout_.offset) * size_of(dtype_);
  }
  View view() { return View{data(), dtype_, layout_.shape, layout_.strides}; }

 private:
  DType dtype_ = DType::f32;
  Layout layout_;
  std::int64_t numel_ = 0;
  bool dense_ = true;
  std::vector<std::byte> bytes_;
};

/// True if shapes, dtypes and the bits of the logical elements (not of the padding) are equal.
bool same_bits(const Tensor& a, const Tensor& b);

/// Tensors by their names: x, weight, d_weight, running_var.
using Tensors = std::map<std::string, Tensor, std::less<>>;

/// Throws InstrumentError that names the missing tensor and those present.
const Tensor& get(const Tensors& tensors, std::string_view name);

/// The text [3,17] for a row-major linear index; [] where the tensor has no elements.
std::string index_text(const Shape& shape, std::int64_t index);

}  // namespace gradproof
