// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>

#include "cli/exhaustive_plan.h"
#include "core/verdict.h"

namespace gradproof {

/// What was found about some inputs of one tensor.
struct Extremes {
  Discrepancy discrepancy;     ///< counts, extremes and what would have passed; no lists
  std::int64_t escalated = 0;  ///< truths that needed 50 digits
  std::uint64_t worst = 0;     ///< bits of the input with the largest error/bound
  std::string worst_case;      ///< the setting it was met in

  void add(const Extremes& other);
};

/// Of one tensor ("y", "d_x"), by region; regions that nothing fell into are empty.
using ByRegion = std::map<std::size_t, Extremes>;
using ByTensor = std::map<std::string, ByRegion>;

/// Over all regions.
Extremes total_of(const ByRegion& regions);

/// Runs the setting on all pieces and compares with the truth, as `check` does but once, without
/// LibTorch. `told` is called after each piece with the number of those done. Throws
/// InstrumentError where the run itself was found wrong.
ByTensor run_setting(
    const Kernel& kernel, const Case& setting, const std::vector<Piece>& pieces,
    const std::function<void(std::size_t)>& told = [](std::size_t) {});

}  // namespace gradproof
