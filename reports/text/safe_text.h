// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gradproof {

/// Text that every format can hold: bytes that are no UTF-8, and control characters other than the
/// line feed and the tab, become U+FFFD. XML has no way to write them.
std::string without_controls(std::string_view text);

/// Text that is safe in HTML and SVG, as text and between double quotes.
std::string html_escaped(std::string_view text);

/// The first `most` characters' worth of bytes, and "..." where there were more; never cut within a
/// character.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace gradproof
