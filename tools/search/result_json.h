// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/search/result.h"

namespace gradproof {

/// A result as one line, which a front hands back where it has to ask again
/// (cli/protocol/protocol.h, AnswerPart).
std::string state_of(const SearchResult& result);

/// The result, with the setup among these that it names. Throws InstrumentError if there is no such
/// setup, and for other text.
SearchResult result_from(const std::string& state, const std::vector<SearchSetup>& setups);

}  // namespace gradproof
