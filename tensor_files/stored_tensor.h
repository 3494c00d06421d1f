// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
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

  /// True if numbers are read as those of a wider type: no result is computed in this one.
  constexpr bool is_read_wider() const {
    return dtype == DType::i64 || (dtype == DType::f32 && bytes == 1);
  }
};

inline constexpr std::array kElementTypes{
    ElementType{"F64", "<f8", DType::f64, 8},  ElementType{"F32", "<f4", DType::f32, 4},
    ElementType{"F16", "<f2", DType::f16, 2},  ElementType{"BF16", "", DType::bf16, 2},
    ElementType{"I64", "<i8", DType::i64, 8},  ElementType{"I32", "<i4", DType::i64, 4},
    ElementType{"I16", "<i2", DType::i64, 2},  ElementType{"I8", "|i1", DType::i64, 1},
    ElementType{"U8", "|u1", DType::i64, 1},   ElementType{"BOOL", "|b1", DType::f32, 1},
    ElementType{"F8_E4M3", "", DType::f32, 1}, ElementType{"F8_E5M2", "", DType::f32, 1},
    ElementType{"F8_E8M0", "", DType::f32, 1}};

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
