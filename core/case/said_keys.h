// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradproof {

/// Keys with the texts of their values, in the order in which they stand.
using SaidKeys = std::vector<std::pair<std::string, std::string>>;

/// The keys that the text of a Case gives, those at their default included. The function throws
/// UsageError for a word that is not of the form key=value, and as graph_word() does.
SaidKeys said_keys(std::string_view case_text);

/// The function throws UsageError for the text of a graph in braces that gives some axis no extent,
/// in the text itself or by a key=value that is said elsewhere.
void require_extents(std::string_view case_text, const std::vector<std::string>& elsewhere = {});

}  // namespace gradproof
