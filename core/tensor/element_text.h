// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// The number that all of the text is, in decimal digits; nothing where it is none.
std::optional<std::int64_t> whole_number(std::string_view text);

/// An element, or a tensor, as users name it.
struct ElementText {
  std::string tensor;  ///< empty where the text is indices alone
  std::vector<std::int64_t>
      index;  ///< as written, so it may lie outside; empty: no element is named
};

/// Reads "d_x[3,7]", "d_x" and "3,7". Nothing for what is neither, and for an empty text.
std::optional<ElementText> element_text(std::string_view text);

}  // namespace gradproof
