// SPDX-License-Identifier: Apache-2.0
#include "core/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace gradproof {

CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[k]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  std::uint32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(k) & 0x3F);
  }
  // A code point is refused that is longer than needed, half of a UTF-16 pair or beyond Unicode.
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = value >= 0xD800 && value < 0xE000;
  return value < kLeast[bytes] || is_half || value > 0x10FFFF ? CodePoint{}
                                                              : CodePoint{value, bytes};
}

namespace {

/// False for controls, and for the format characters that show nothing or turn the direction
/// (Unicode's Cc, and those of Cf and Zl that occur in running text). A tab is shown.
bool is_shown(std::uint32_t c) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 7> kHidden{{{0x00, 0x1F},
                                                                            {0x7F, 0x9F},
                                                                            {0xAD, 0xAD},
                                                                            {0x200B, 0x200F},
                                                                            {0x2028, 0x202E},
                                                                            {0x2060, 0x206F},
                                                                            {0xFEFF, 0xFEFF}}};
  return c == '\t' || std::none_of(kHidden.begin(), kHidden.end(), [c](const auto& range) {
           return c >= range.first && c <= range.second;
         });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes > 0 && is_shown(c.value))
      shown += text.substr(0, bytes);
    else if (c.value == '\n' && c.bytes == 1)
      shown += "\\n";
    else if (bytes == 1)
      shown += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    else
      shown += fmt::format("\\u{{{:x}}}", c.value);
    text.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace gradproof
