// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/runs/store.h"

namespace gradproof {

/// The text of a run's file that has all that the folders' runs of one kind found, and what that is
/// as a run. A pure function of the set of runs: neither their order, nor how often one comes, nor
/// whether some of them were merged before, changes a byte. Cases stand in the order of their
/// texts. Where runs differ on a Case, all their answers stay in the file.
struct MergedRun {
  StoredRun run;
  StoredRecords stored;  ///< as reports take it
  std::string text;
};

/// One for each kind that the folders have runs of. Throws UsageError where they have none, or runs
/// that do not belong together, with what they differ in.
std::vector<MergedRun> merge_runs(const std::vector<std::string>& folders);

/// Writes each into FOLDER/ID.jsonl. A file that is there already with this text stays. Throws
/// UsageError where folder or file cannot be made, and InstrumentError where it cannot be written,
/// or is there with another text.
void write_merged(const MergedRun& merged, const std::string& folder);

}  // namespace gradproof
