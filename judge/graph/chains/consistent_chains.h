// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "core/compare/sum_chain.h"
#include "judge/graph/judged_run.h"

namespace gradproof {

using SumChains = std::map<std::string, SumChain, std::less<>>;

/// The shortest chain of additions with which each tensor of the run is within its certain bound,
/// to an eighth, where its contract has sums in any order: no less than the logarithm of their
/// length, which a binary tree has. Tensors beyond the bound have none, and neither have runs of
/// more than 65,536 elements: each chain that is tried costs a judgement.
SumChains consistent_chains(const Case& c, const GraphRun& run, const JudgedRun& judged);

}  // namespace gradproof
