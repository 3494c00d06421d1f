// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/record/tally.h"
#include "reports/runs/judged_cases.h"
#include "reports/runs/run_reader.h"

namespace gradproof {

/// The Records of a run, as reports take them.
struct StoredRecords {
  std::vector<Record> records;  ///< in the order of the run's Cases
  std::string note;             ///< which run this is, what was left out and why
  std::string incomplete = {};  ///< which Cases have no Records, or empty
};

/// A run, and with it all that it resumes.
struct StoredRun {
  RunHeader header;  ///< of the last
  JudgedCases judged;
  std::optional<RunEnd> end;  ///< of the last
  std::vector<std::string> notes;

  /// Cases that have no Records, in their order.
  std::vector<std::string> missing() const;
};

/// Throws UsageError for a run that the folder does not have, or that never wrote its first line.
/// Reads as read_run() does.
StoredRun read_stored_run(const std::string& folder, const std::string& id);

/// The last run of the kind; nothing where the folder has none.
std::optional<StoredRun> last_run(const std::string& folder, RunKind kind);

StoredRecords records_of(const StoredRun& run);
/// Takes the Records out of the run, without a second copy of what may be much.
StoredRecords records_of(StoredRun&& run);

/// `2 of 3 cases were not run to their end; the first is '...'`, and the shards that have no run;
/// empty if every Case of the plan has its Records.
std::string incompleteness(const StoredRun& run);

/// Counts the records. A Case without records is a gap too.
Tally tally(const StoredRecords& stored);

}  // namespace gradproof
