// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/differences/evaluate/loss_cache.h"

namespace gradproof {

/// Numbers of a tensor in one unit; without places all of them.
struct SampledEntries {
  std::int64_t unit = 0;
  std::vector<std::int64_t> places;
};

/// `count` numbers of a tensor, or all if it has fewer: units spread evenly over the subject, first
/// and last included; of each unit the numbers with the largest and the smallest |claimed|, the
/// others spread over it. Where a unit of them has no gradient at all, the unit with the largest
/// of all claims is one of the sample.
std::vector<SampledEntries> strata(LossCache& losses, std::size_t tensor,
                                   AuditArithmetic arithmetic, std::int64_t count);

/// All units of the subject, cut into about as many runs as are good for all cores.
struct UnitRun {
  std::int64_t first_block = 0;
  std::int64_t last_block = 0;  ///< past the end
  std::int64_t part = 0;        ///< of each block's units
  std::int64_t parts = 1;

  std::vector<std::int64_t> units(const AuditTarget& target, std::int64_t block) const;
};
std::vector<UnitRun> runs_of(const AuditTarget& target);

}  // namespace gradproof
