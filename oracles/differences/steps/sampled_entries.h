// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/differences/unit_at_rest.h"

namespace gradproof {

/// Numbers of a tensor in one unit, by place; no places: all of them.
struct SampledEntries {
  std::int64_t unit = 0;
  std::vector<std::int64_t> places;
};

/// A stratified sample of `count` numbers of a tensor, or all if it has fewer. Units are spread
/// evenly over the target, first and last included; from each unit the sample takes the numbers
/// with the largest and the smallest |claimed| and others spread evenly. If a unit of the sample
/// has no gradient at all, the unit with the largest claim takes its place.
std::vector<SampledEntries> strata(LossCache& losses, AuditArithmetic arithmetic,
                                   std::int64_t count);

}  // namespace gradproof
