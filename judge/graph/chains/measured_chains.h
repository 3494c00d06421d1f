// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "judge/graph/chains/consistent_chains.h"
#include "judge/graph/judged_run.h"

namespace gradproof {

/// Judges as judged_run() does, but sums whose order the code leaves open and whose additions were
/// counted are judged under chains no longer than the counted ones.
JudgedRun judged_as_measured(const Case& c, const GraphRun& run,
                             Detail detail = Detail::of_failures);

/// The counted chains of the tensors whose sums the code leaves open.
SumChains measured_chains(const Case& c, const GraphRun& run);

/// The largest number of additions, with no product between them, that a number of the tensor goes
/// through if each sum is in the order of its contract.
std::int64_t permitted_additions(const GraphClaim& claim, const std::string& tensor);

/// The fault in the declaration of a tensor's sums: their source has longer chains than it permits.
/// Empty if there is none.
std::string shorter_than_measured(const GraphRun& run, const std::string& tensor);

}  // namespace gradproof
