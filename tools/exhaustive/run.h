// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/compare/verdict.h"
#include "reports/record/tally.h"
#include "tools/exhaustive/plan.h"

namespace gradproof {

/// What was found about some inputs of one tensor.
struct Extremes {
  Discrepancy discrepancy;     ///< counts, extremes and what would have passed; no lists
  std::int64_t escalated = 0;  ///< truths that needed 50 digits
  std::uint64_t worst = 0;     ///< bits of the input with the largest error/bound
  std::string worst_case;      ///< the setting it was met in

  void add(const Extremes& other);
};

/// The extremes of one tensor ("y", "d_x"), by region; regions that nothing fell into are empty.
using ByRegion = std::map<std::size_t, Extremes>;
using ByTensor = std::map<std::string, ByRegion>;

/// Over all regions.
Extremes total_of(const ByRegion& regions);

/// One setting on the pieces.
struct SettingRun {
  Case setting;
  ByTensor found;
  /// What the executor found wrong with the kernel, after the Case it met it in; the pieces from
  /// there on were not judged. Empty: nothing.
  std::string fault;
};

/// Runs the setting on all pieces and compares with the truth, as `check` does but once, without
/// LibTorch and without its doubts about parameters. `on_progress` is called after each piece with
/// the number of those done.
SettingRun run_setting(
    const Kernel& kernel, const Case& setting, const std::vector<Piece>& pieces,
    const std::function<void(std::size_t)>& on_progress = [](std::size_t) {});

/// All settings of one kernel in one dtype.
struct TableRun {
  std::string name;  ///< "swish_bias f16", for the gaps
  std::vector<SettingRun> settings;
};

/// Counts each region of each tensor and setting as `check` counts a tensor of a Case, and a fault
/// as a failure. Gaps: a setting that a fault ended; a tensor without a region that passed or
/// failed, where there are several settings in one without an identity; a table in which nothing
/// was judged.
Tally tally_of(const std::vector<TableRun>& tables);

}  // namespace gradproof
