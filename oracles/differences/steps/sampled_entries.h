// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/differences/evaluate/loss_cache.h"

namespace gradproof {

/// Numbers of a tensor in one unit, by place; no places: all of them.
struct SampledEntries {
  std::int64_t unit = 0;
  std::vector<std::int64_t> places;
};

/// A stratified sample of `count` numbers of a tensor, or all if it has fewer. Units are spread
/// evenly over the target, first and last included; of each unit the sample has the numbers with
/// the largest and the smallest |claimed| and others spread evenly. Where a unit of the sample has
/// no gradient at all, the unit with the largest claim takes its place.
std::vector<SampledEntries> strata(LossCache& losses, std::size_t tensor,
                                   AuditArithmetic arithmetic, std::int64_t count);

/// A part of the units of a target. runs_of() divides all units into runs that threads can share.
struct UnitRun {
  std::int64_t first_block = 0;
  std::int64_t last_block = 0;  ///< one past the last
  std::int64_t part = 0;        ///< which of `parts` equal parts of each block's units
  std::int64_t parts = 1;

  std::vector<std::int64_t> units(const AuditTarget& target, std::int64_t block) const;
};
std::vector<UnitRun> runs_of(const AuditTarget& target);

}  // namespace gradproof
