// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "cli/protocol/request.h"
#include "tools/search/result.h"

namespace gradproof {

/// The search of one setup, and the simplest Case of the trouble that it met. `on_case` is called
/// after each step.
SearchResult searched(const SearchSetup& setup, const SearchRequest& request,
                      const SearchBudget& budget,
                      const std::function<void(const Search&)>& on_case);

}  // namespace gradproof
