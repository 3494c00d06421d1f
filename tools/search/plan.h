// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/protocol/request.h"
#include "kernels/kernel.h"
#include "properties/search/search.h"

namespace gradproof {

/// One kernel, or a mutant of it, in one combination of types.
struct SearchSetup {
  const Kernel* kernel = nullptr;   ///< of the catalog
  std::string name;                 ///< WORD or WORD/MUTANT
  std::string dtype;                ///< one of kSearchedTypes
  std::vector<std::string> pinned;  ///< keys of every Case
};

/// The types that a kernel is compiled for: those of x, and `mixed`, which is f16 with parameters
/// in float32.
inline constexpr const char* kMixed = "mixed";

/// The setups that a request for a search asks for, one for each kernel and combination of types.
/// Throws UsageError for an unknown kernel or mutant, for types that a mutant is not compiled for,
/// and for a number out of its range.
std::vector<SearchSetup> setups_of(const Catalog& catalog, const SearchRequest& request);

/// The budget of each setup: the request's Cases, or its share of the seconds on so many threads.
SearchBudget budget_of(const SearchRequest& request, std::size_t setups, int threads);

}  // namespace gradproof
