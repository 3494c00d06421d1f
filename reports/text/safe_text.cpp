// SPDX-License-Identifier: Apache-2.0
#include "reports/text/safe_text.h"

#include <algorithm>

#include "core/printable.h"

namespace gradproof {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// Bytes of the character at the start of the text; 0 where XML has none such.
std::size_t character_size(std::string_view text) {
  const CodePoint c = first_code_point(text);
  return c.value == 0xFFFE || c.value == 0xFFFF ? 0 : c.bytes;
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
