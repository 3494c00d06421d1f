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

/// The counts and extremes that were found for some inputs of one tensor.
struct Extremes {
  Discrepancy discrepancy;     ///< counts, extremes and what would have passed; no lists
  std::int64_t escalated = 0;  ///< truths that needed 50 digits
  std::uint64_t worst = 0;     ///< bits of the input with the largest error/bound
  std::string worst_case;      ///< the setting it was met in

  void add(const Extremes& other);
};

/// The extremes of one tensor ("y", "d_x") by region; a region without any elements is absent.
using ByRegion = std::map<std::size_t, Extremes>;
using ByTensor = std::map<std::string, ByRegion>;

/// The extremes over all regions.
Extremes total_of(const ByRegion& regions);

/// The results of one setting on the pieces.
struct SettingRun {
  Case setting;
  ByTensor found;
  /// The executor's findings about the kernel, after the Case they were met in; the pieces from
  /// this one on were not judged. Empty if there are none.
  std::string fault;
};

/// Runs the setting on all pieces and compares with the truth as `check` does, but once, without
/// LibTorch and without the check's doubts about parameters. `on_progress` is called after each
/// piece with the number of pieces done.
SettingRun run_setting(
    const Kernel& kernel, const Case& setting, const std::vector<Piece>& pieces,
    const std::function<void(std::size_t)>& on_progress = [](std::size_t) {});

/// The results of all settings of one kernel in one dtype.
struct TableRun {
  std::string name;  ///< "swish_bias f16", for the gaps
  std::vector<SettingRun> settings;
};

/// Counts each region of each tensor and setting as `check` counts a tensor of a Case, and a fault
/// as a failure. The gaps are: a setting that a fault ended; a tensor without a region that passed
/// or failed (in a setting without an identity, if there are several settings); and a table in
/// which nothing was judged.
Tally tally_of(const std::vector<TableRun>& tables);

}  // namespace gradproof
