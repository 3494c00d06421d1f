// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "core/graph/contract/rung.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// What code on a rung declares.
struct RungContract {
  Rung rung;
  DeclaredContract contract;
};

/// Whether a value between two steps may be rounded at all.
bool rounds_between(const GraphContract& contract);

/// The rungs that code of the graph may stand on which says no more than that, from the first; only
/// those on which more is permitted than on the one before. Where no type is coarser than that of
/// the arithmetic, two are left, which differ in the functions and in subnormal numbers.
std::vector<RungContract> ladder_of(const GraphClaim& claim, const DeclaredContract& declared);

/// Rungs that permit more than what is declared of the code.
std::vector<RungContract> wider_rungs(const GraphClaim& claim, const DeclaredContract& declared);

}  // namespace gradproof
