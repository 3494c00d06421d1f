// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/layouts.h"

#include "core/error.h"

namespace gradproof {

std::vector<std::string> layout_words() { return {"contiguous", "padded", "offset", "transposed"}; }

Layout layout_of(const std::string& word, std::int64_t rows, std::int64_t cols) {
  const Shape shape{rows, cols};
  const std::int64_t size = rows * cols;
  if (word == "contiguous") return Layout::contiguous(shape);
  if (word == "offset") return {shape, {cols, 1}, 1, size + 1};
  if (word == "transposed") return {shape, {1, rows}, 0, size};
  if (word == "expanded") return {shape, {0, 0}, 0, 1};
  if (word != "padded") throw InstrumentError("no layout '" + word + "'");
  const std::int64_t pitch = (cols + 3) / 4 * 4 + 4;
  return {shape, {pitch, 1}, 0, rows * pitch};
}

}  // namespace gradproof
