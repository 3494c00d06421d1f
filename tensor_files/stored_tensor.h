// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace gradproof {

/// An element type with its words in the formats. Integers of other widths are read as i64, numbers
/// of 8 bits as f32, which has all of them, and a mask's truths as the numbers 0 and 1.
struct ElementType {
  std::string_view word;   ///< of safetensors
  std::string_view numpy;  ///< the descr of a .npy; bfloat16 and numbers of 8 bits have none
  DType dtype;             ///< that it is read as
  std::uint64_t bytes;
  /// The number of the bytes, of a type that is read as another one.
  double (*number)(const char* bytes) = nullptr;

  /// True if numbers are read as those of a wider type: no result is computed in this one.
  bool is_read_wider() const { return number != nullptr || dtype == DType::i64; }
};

/// All types, of those that are read as one type the widest first.
std::span<const ElementType> element_types();

/// The description of one tensor in a file.
struct StoredTensor {
  const ElementType* type = nullptr;
  Shape shape;
  std::uint64_t first = 0;  ///< bytes, from where the format counts
  std::uint64_t end = 0;
};

using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

/// Names, types and shapes of a file's tensors, and its other texts by name (`__metadata__` of
/// safetensors).
struct StoredHeader {
  StoredTensors tensors;
  std::map<std::string, std::string, std::less<>> metadata;
};

/// The number of bytes of the elements. Throws UsageError if it is more than any file has, also
/// with 1 in place of each extent of 0, since strides are products as well.
std::uint64_t bytes_of(const ElementType& type, const Shape& shape, const std::string& name);

/// The tensor whose elements `read(address, bytes)` writes in row-major order.
Tensor read_stored(const StoredTensor& stored,
                   const std::function<void(char*, std::uint64_t)>& read);

}  // namespace gradproof
