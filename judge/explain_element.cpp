// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include <fmt/format.h>

#include "core/error.h"
#include "judge/explain_case.h"

namespace gradproof {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError(fmt::format("'{}' is no element; write d_x[3,7], d_x or 3,7 (of y)", text));
}

std::vector<std::int64_t> numbers_of(std::string_view words, const std::string& text) {
  std::vector<std::int64_t> numbers;
  while (true) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), number);
    if (error != std::errc{} || number < 0) refuse(text);
    numbers.push_back(number);
    words.remove_prefix(static_cast<std::size_t>(end - words.data()));
    if (words.empty()) return numbers;
    if (words.front() != ',') refuse(text);
    words.remove_prefix(1);
  }
}

}  // namespace

ElementText parse_element(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t open = text.find('[');
  if (open == std::string::npos) {
    const bool digits = text.find_first_not_of("0123456789,") == std::string::npos;
    return digits ? ElementText{"y", numbers_of(text, text)} : ElementText{text, {}};
  }
  if (text.back() != ']') refuse(text);
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  return {open == 0 ? "y" : text.substr(0, open), numbers_of(inside, text)};
}

}  // namespace gradproof
