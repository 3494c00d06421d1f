// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/record.h"
#include "kernels/kernel.h"
#include "properties/search/search.h"

namespace gradproof {

/// The Records that `check` would make of the Case without asking LibTorch: the search concerns the
/// kernel and its bound, and many Cases matter more than a second opinion on each.
std::vector<Record> searched_records(const Kernel& kernel, const Case& c);

/// The Records' result for a search. Its trouble is the first wrong tensor or execution, else a
/// broken instrument, exceptions included. Throws UsageError for an impossible Case.
SearchEvaluation evaluated(const Kernel& kernel, const Case& c);

/// The simplest Case with the same tensor in the same trouble that is reached in 200 steps.
Case shrunk(const Kernel& kernel, const Search::TroubledCase& found);

}  // namespace gradproof
