// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gradproof {

/// The text with everything written out that a terminal would obey, or not show: control characters
/// ("\x1b", "\n"), bytes that are no UTF-8 ("\xff"), and Unicode's invisible marks: of direction,
/// of no width, of byte order ("\u{feff}"). Tabs stay. What is printable stays as it is, so that
/// the result is its own.
std::string printable(std::string_view text);

}  // namespace gradproof
