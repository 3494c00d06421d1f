// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/search/result.h"

namespace gradproof {

/// A result as one line, which a front hands back where it has to ask again
/// (cli/protocol/protocol.h, AnswerPart).
std::string state_of(const SearchResult& result);

/// The result, of the setup among these that it names. Throws InstrumentError where there is none,
/// and for other text.
SearchResult result_from(const std::string& state, const std::vector<SearchSetup>& setups);

}  // namespace gradproof
