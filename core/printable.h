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

/// At the start of a text that is not empty.
CodePoint first_code_point(std::string_view text);

/// The text with everything written out that a terminal would obey, or not show: control characters
/// ("\x1b", "\n"), bytes that are no UTF-8 ("\xff"), and Unicode's invisible marks: of direction,
/// of no width, of byte order ("\u{feff}"). Tabs stay. What is printable stays as it is, so that
/// the result is its own.
std::string printable(std::string_view text);

}  // namespace gradproof
