// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/element_text.h"

#include <charconv>

namespace gradproof {
namespace {

/// Reads whole numbers with commas between them; nothing where the text is anything else.
std::optional<std::vector<std::int64_t>> index_of(std::string_view text) {
  std::vector<std::int64_t> index;
  while (true) {
    const std::size_t end = text.find(',');
    const auto number = whole_number(text.substr(0, end));
    if (!number) return std::nullopt;
    index.push_back(*number);
    if (end == std::string_view::npos) return index;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || read != end) return std::nullopt;
  return number;
}

std::optional<ElementText> element_text(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::size_t open = text.find('[');
  const bool only_digits = text.find_first_not_of("0123456789,") == std::string_view::npos;
  if (open == std::string_view::npos && !only_digits) return ElementText{std::string(text), {}};
  if (open != std::string_view::npos && text.back() != ']') return std::nullopt;
  const std::string_view inside =
      only_digits ? text : text.substr(open + 1, text.size() - open - 2);
  const auto index = index_of(inside);
  if (!index) return std::nullopt;
  return ElementText{std::string(only_digits ? "" : text.substr(0, open)), *index};
}

}  // namespace gradproof
