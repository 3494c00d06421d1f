// SPDX-License-Identifier: Apache-2.0
#include "reports/text/safe_text.h"

#include <algorithm>

namespace gradproof {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// Bytes of the character at the start of the text; 0 where none is. RFC 3629, section 4.
std::size_t character_size(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xC2 && first < 0xE0   ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size),
                   is_continuation))
    return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool outside = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  const bool noncharacter =
      text.substr(0, size) == "\xEF\xBF\xBE" || text.substr(0, size) == "\xEF\xBF\xBF";
  return outside || noncharacter ? 0 : size;
}

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && byte != '\n' && byte != '\t') || code == 0x7F;
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0 || is_control(text[0]))
      safe += kReplacement;
    else
      safe += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(1, size));
  }
  return safe;
}

std::string html_escaped(std::string_view text) {
  std::string safe;
  for (const char sign : without_controls(text)) {
    if (sign == '&')
      safe += "&amp;";
    else if (sign == '<')
      safe += "&lt;";
    else if (sign == '>')
      safe += "&gt;";
    else if (sign == '"')
      safe += "&quot;";
    else
      safe += sign;
  }
  return safe;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && is_continuation(text[most])) --most;
  return std::string(text.substr(0, most)) + "...";
}

}  // namespace gradproof
