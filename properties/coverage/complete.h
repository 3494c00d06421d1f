// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/case/draw.h"
#include "properties/coverage/covering.h"

namespace gradproof {

/// A Case that a suite lacks, and how many combinations it is the first to have.
struct CoveringLine {
  Case c;
  int serves = 0;
};

/// Says of each missing combination of which no small Case is that it is impossible or too large.
void classify(Covering& covering, const RandomBits& next);

/// Cases for what is missing, greedily: of some candidates for a missing combination the one that
/// has the most missing ones. A Case that is not `accepted` (its kernel fails, its passes prove
/// nothing) is none; combinations that only such Cases have stay missing. What is impossible is
/// marked. With the same random bits the same Cases come in the same order. The greedy algorithm of
/// AETG: Cohen, Dalal, Fredman, Patton, IEEE Transactions on Software Engineering 23 (1997).
std::vector<CoveringLine> complete(Covering& covering, const RandomBits& next,
                                   const std::function<bool(const Case&)>& accepted);

}  // namespace gradproof
