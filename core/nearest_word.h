// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// "; did you mean 'swish_bias'?" with the known word that takes the fewest edits: letters that are
/// inserted, deleted, replaced or swapped with a neighbour (Damerau 1964). The text is empty where
/// there are more edits than a third of the letters of `written`.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& known);

/// Returns the names that have one of the texts in them, in their order, and all names where there
/// is no text. Throws UsageError for a text that no name has; `what` says whose names
/// they are.
std::vector<std::string> names_with(std::string_view what, const std::vector<std::string>& names,
                                    const std::vector<std::string>& texts);

}  // namespace gradproof
