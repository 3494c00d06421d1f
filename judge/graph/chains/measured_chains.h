// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "judge/graph/chains/consistent_chains.h"
#include "judge/graph/judged_run.h"

namespace gradproof {

/// As judged_run(). Sums whose order the code leaves open, and whose additions were counted, are
/// judged under chains no longer than these.
JudgedRun judged_as_measured(const Case& c, const GraphRun& run,
                             Detail detail = Detail::of_failures);

/// What was counted of the tensors whose sums the code leaves open.
SumChains measured_chains(const Case& c, const GraphRun& run);

/// The most additions that a number of the tensor goes through with no product between, where each
/// sum is in the order of its contract.
std::int64_t permitted_additions(const GraphClaim& claim, const std::string& tensor);

/// What is wrong with the declaration of a tensor's sums: their source has longer chains than it
/// permits. Empty: nothing is.
std::string shorter_than_measured(const GraphRun& run, const std::string& tensor);

}  // namespace gradproof
