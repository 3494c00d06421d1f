// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// The number that the whole text is in decimal digits; nothing where the text is no such number.
std::optional<std::int64_t> whole_number(std::string_view text);

/// An element, or a tensor, in the form in which users name it.
struct ElementText {
  std::string tensor;  ///< empty where the text is indices alone
  std::vector<std::int64_t>
      index;  ///< as written, so it may lie outside; empty: no element is named
};

/// Reads "d_x[3,7]", "d_x" and "3,7"; nothing for an empty text and for any other form.
std::optional<ElementText> element_text(std::string_view text);

}  // namespace gradproof
