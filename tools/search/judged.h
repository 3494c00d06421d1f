// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/record.h"
#include "kernels/kernel.h"
#include "properties/search/search.h"

namespace gradproof {

/// The Records that `check` would make of the Case, but LibTorch is not asked: what is searched is
/// the kernel against its bound, and many Cases matter more than a second opinion on each.
std::vector<Record> searched_records(const Kernel& kernel, const Case& c);

/// What they say to a search. Trouble is a wrong tensor or execution first, else an instrument that
/// is broken, what it throws included. Throws UsageError for a Case that cannot be.
SearchEvaluation evaluated(const Kernel& kernel, const Case& c);

/// The simplest Case with the same tensor in the same trouble that 200 steps come to.
Case shrunk(const Kernel& kernel, const Search::TroubledCase& found);

}  // namespace gradproof
