// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/contract/forms.h"
#include "core/graph/graph.h"

/// Keys and words of a contract's text.
namespace gradproof::contract_words {

/// What may be said of all steps, and of one.
std::vector<std::string> keys();
std::vector<std::string> keys_of(const GraphStep& step);

bool is_sum(std::string_view key);
/// The row of the part with that word; nullptr where no part has it.
const FormRow* row_of(std::string_view key);

/// The words that a key may have.
std::vector<std::string> words(std::string_view key);
/// The same as a message has them; `made`: values that `stored` may name.
std::string choices_text(std::string_view key, const std::vector<std::string>& made);

/// What stands between the signs; one empty part of an empty text.
std::vector<std::string> parts_of(const std::string& text, char sign);

}  // namespace gradproof::contract_words
