// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/memory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"

namespace gradproof::diagnosis {
namespace {

/// True if the entry holds the bytes that unwritten memory has, or 0xFF with the other sign:
/// arithmetic passes the bits of a NaN on, and a compiler is free to negate the NaN.
bool is_unwritten(const WrongTensor& whole, const ComparedEntry& entry) {
  const auto size = size_of(whole.got.dtype());
  const std::byte* first =
      whole.got.bytes().data() + static_cast<std::size_t>(whole.got.position(entry.index)) * size;
  const std::byte* top = first + size - 1;
  const bool is_top = *top == whole.unwritten || (*top | std::byte{0x80}) == whole.unwritten;
  return is_top && std::all_of(first, top, [&](std::byte b) { return b == whole.unwritten; });
}

/// True if each wrong entry is what its prediction says, and no right one leaves it.
bool agrees(const Hypothesis& one, const WrongTensor& whole) {
  const std::optional<Prediction> predicted = one.predict(whole);
  if (!predicted || predicted->size() != whole.entries.size()) return false;
  Fit fit;
  for (std::size_t i = 0; i < predicted->size(); ++i) fit.take(whole.entries[i], (*predicted)[i]);
  return fit.explained == fit.wrong && fit.contradicted == 0;
}

/// The padding that wrong strides lead to has these bytes too.
std::string paddings_text(const WrongTensor& whole) {
  if (whole.wrong() == std::ssize(whole.entries)) return "";
  Hypotheses layouts;
  add_layouts(whole, layouts);
  std::vector<std::string> all;
  for (const Hypothesis& one : layouts)
    if (agrees(one, whole)) all.push_back("the padding, if " + one.text);
  return all.empty() ? "" : "; " + joined(all);
}

std::string unwritten_text(const WrongTensor& whole) {
  const auto is_explained = [&](const ComparedEntry& entry) {
    return !entry.wrong || is_unwritten(whole, entry);
  };
  if (!std::ranges::all_of(whole.entries, is_explained)) return "";
  return "never written, or computed from memory that nobody wrote" + paddings_text(whole);
}

/// A text if the wrong entries are NaN or infinite and lie exactly where a tensor is 0.
std::string where_zero_text(const WrongTensor& whole) {
  for (const ComparedEntry& entry : whole.entries)
    if (entry.wrong && std::isfinite(entry.got)) return "";
  std::vector<std::string> found;
  for (const auto& [name, tensor] : whole.inputs) {
    const std::vector<std::int64_t> places = places_of(whole, name);
    if (places.empty() || tensor.numel() < 2 || tensor.dtype() == DType::i64) continue;
    std::vector<char> wrong(static_cast<std::size_t>(tensor.numel()));
    for (std::size_t i = 0; i < places.size(); ++i)
      if (whole.entries[i].wrong) wrong[static_cast<std::size_t>(places[i])] = 1;
    bool same = true;
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      same = same && (tensor.at(i) == 0) == (wrong[static_cast<std::size_t>(i)] != 0);
    if (same)
      found.push_back(fmt::format("NaN where {} is 0, and nowhere else: divided by it", name));
  }
  return joined(found);
}

}  // namespace

std::string memory_text(const WrongTensor& whole) {
  const std::string text = unwritten_text(whole);
  return text.empty() ? where_zero_text(whole) : text;
}

}  // namespace gradproof::diagnosis
