// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/schema.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The ways a matrix may lie in memory, the words of keys like `layout`:
///   contiguous
///   padded      rows start 16-byte aligned, with room behind each of them
///   offset      contiguous, but not where the allocation begins: misaligned
///   transposed  columns are contiguous
///   giant_rows  each row begins 2^32 + 8 elements behind the one before: offsets fit no 32 bits
///   giant_cols  each column begins 2^32 + 8 elements behind the one before
std::vector<std::string> layout_words();

/// These words, and the ways in which elements share memory, only for tensors that are read:
///   expanded      one number for all elements
///   repeat_rows   every row is the same memory
///   repeat_cols   every column is the same memory
std::vector<std::string> read_layout_words();

/// The layout of a matrix for any of these words. Throws InstrumentError for another word.
Layout layout_of(const std::string& word, std::int64_t rows, std::int64_t cols);

}  // namespace gradproof
