// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// "; did you mean 'swish_bias'?" of the known word with the fewest letters to insert, delete,
/// replace or swap with their neighbour (Damerau 1964); empty where that is more than a third of
/// what was written.
std::string did_you_mean(std::string_view written, const std::vector<std::string>& known);

}  // namespace gradproof
