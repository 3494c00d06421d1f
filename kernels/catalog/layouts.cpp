// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/layouts.h"

#include <algorithm>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr std::int64_t kGiant = (std::int64_t{1} << 32) + 8;

}  // namespace

std::vector<std::string> layout_words() {
  return {"contiguous", "padded", "offset", "transposed", "giant_rows", "giant_cols"};
}

std::vector<std::string> read_layout_words() {
  std::vector<std::string> words = layout_words();
  words.insert(words.end(), {"expanded", "repeat_rows", "repeat_cols"});
  return words;
}

Layout layout_of(const std::string& word, std::int64_t rows, std::int64_t cols) {
  const Shape shape{rows, cols};
  const std::int64_t size = rows * cols;
  if (word == "contiguous") return Layout::contiguous(shape);
  if (word == "offset") return {shape, {cols, 1}, 1, size + 1};
  if (word == "transposed") return {shape, {1, rows}, 0, size};
  if (word == "expanded") return {shape, {0, 0}, 0, 1};
  if (word == "repeat_rows") return {shape, {0, 1}, 0, cols};
  if (word == "repeat_cols") return {shape, {1, 0}, 0, rows};
  if (word == "giant_rows")
    return {shape, {kGiant, 1}, 0, std::max<std::int64_t>(0, (rows - 1) * kGiant + cols)};
  if (word == "giant_cols") return {shape, {1, kGiant}, 0, (cols - 1) * kGiant + rows};
  if (word != "padded") throw InstrumentError("no layout '" + word + "'");
  const std::int64_t pitch = (cols + 3) / 4 * 4 + 4;
  return {shape, {pitch, 1}, 0, rows * pitch};
}

}  // namespace gradproof
