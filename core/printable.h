// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gradproof {

/// One code point of UTF-8 (RFC 3629).
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0: the text does not start with one
};

/// The code point at the start of a text, which must not be empty.
CodePoint first_code_point(std::string_view text);

/// The text with everything escaped that a terminal would obey or not show: control characters
/// ("\x1b", "\n"), bytes that are no UTF-8 ("\xff"), and Unicode's invisible marks of direction, of
/// zero width and of byte order ("\u{feff}"). Tabs stay. Printable characters stay as they are, so
/// the function returns its own result unchanged.
std::string printable(std::string_view text);

}  // namespace gradproof
