// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "reports/baseline/baseline_file.h"
#include "reports/baseline/ceilings.h"

namespace gradproof {

/// The conditions on which figures are accepted into a baseline.
struct Acceptance {
  Reason reason;
  std::vector<RaisedCeiling> ledger;
  /// Records of other runs of the same build and plan: where their bits differ they measure noise.
  std::vector<std::vector<Record>> repetitions;
};

/// Tensors are over their ceilings. `lines` are what the ledger lacks, one for each.
struct OverCeiling : UsageError {
  OverCeiling(const std::string& text, std::vector<std::string> missing)
      : UsageError(text), lines(std::move(missing)) {}
  std::vector<std::string> lines;
};

/// A baseline of exactly these records; `before` hands on its reasons and its ceilings. An entry
/// whose bits differ between repetitions has the largest figures of them, and their noise. Throws
/// UsageError for records of several contexts or another than before's, for failures among them,
/// when there is none, and OverCeiling.
Baseline make_baseline(const std::vector<Record>& records, const Baseline* before,
                       const Acceptance& acceptance);

}  // namespace gradproof
