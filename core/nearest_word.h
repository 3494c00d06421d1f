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

}  // namespace gradproof
