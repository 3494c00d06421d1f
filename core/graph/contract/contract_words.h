// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/contract/forms.h"
#include "core/graph/graph.h"

/// Keys and words of a contract's text.
namespace gradproof::contract_words {

/// The keys that a contract may give for all steps, and those that it may give for one step.
std::vector<std::string> keys();
std::vector<std::string> keys_of(const GraphStep& step);

bool is_sum(std::string_view key);
/// The row of the part with that word; nullptr where no part has it.
const FormRow* row_of(std::string_view key);

/// The words that a key may have.
std::vector<std::string> words(std::string_view key);
/// The words of a key as a message lists them; `made` has the values that `stored` may name.
std::string choices_text(std::string_view key, const std::vector<std::string>& made);

/// The parts of the text between the signs; an empty text has one empty part.
std::vector<std::string> parts_of(const std::string& text, char sign);

}  // namespace gradproof::contract_words
