// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "core/graph/contract/rung.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A rung and the declaration of code on it.
struct RungContract {
  Rung rung;
  DeclaredContract contract;
};

/// True if a value between two steps may be rounded at all.
bool rounds_between(const GraphContract& contract);

/// The rungs, from the first, on which code of the graph with this declaration may stand; each
/// permits more than the one before. If no type is coarser than that of the arithmetic, two are
/// left, which differ in the functions and in subnormal numbers.
std::vector<RungContract> ladder_of(const GraphClaim& claim, const DeclaredContract& declared);

/// The rungs that permit more than the declaration of the code.
std::vector<RungContract> wider_rungs(const GraphClaim& claim, const DeclaredContract& declared);

}  // namespace gradproof
