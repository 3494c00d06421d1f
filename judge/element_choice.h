// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"
#include "core/tensor/element_text.h"

namespace gradproof {

/// So many elements on either side are shown with an explained one.
inline constexpr std::int64_t kNeighbours = 3;

/// Reads "d_x[3,7]", "d_x", "3,7" (of y) and nothing at all. Throws UsageError.
ElementText parse_element(const std::string& text);

/// An element that is explained.
struct ChosenElement {
  std::string tensor;      ///< as the Record of `records` names it
  Record record;           ///< of the tensor, under the name that is shown
  std::int64_t index = 0;  ///< row-major
};

/// Finds the element that the text means among what was judged: the worst of the tensor with the
/// worst verdict where it names none. `shown` gives the name of a tensor that users see. Throws
/// UsageError for an element that is not there.
ChosenElement chosen_element(const Case& c, const std::vector<Record>& records,
                             const std::string& text,
                             const std::function<std::string(const std::string&)>& shown);

}  // namespace gradproof
