// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/schema.h"
#include "core/tensor.h"

namespace gradproof {

/// The ways a matrix may lie in memory, the words of keys like `layout`:
///   contiguous
///   padded      rows start 16-byte aligned, with room behind each of them
///   offset      contiguous, but not where the allocation begins: misaligned
///   transposed  columns are contiguous
std::vector<std::string> layout_words();

/// `expanded`, one number for all elements, is only for what is read.
Layout layout_of(const std::string& word, std::int64_t rows, std::int64_t cols);

}  // namespace gradproof
