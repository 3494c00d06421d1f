// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/record/run_lines.h"
#include "reports/record/tally.h"

namespace gradproof {

/// Adds the Records of a run to DIRECTORY/records.jsonl as RunWriter does. An audit's Records get
/// their pictures beside it, and at its end DIRECTORY/audit.md is about all audits that are there.
/// Throws InstrumentError where these cannot be written.
class RecordWriter {
 public:
  RecordWriter(const std::string& directory, Measured measured,
               const std::vector<std::string>& cases);
  void append(const Record& record);
  void end();

 private:
  std::string directory_;
  Measured measured_;
  RunWriter lines_;
};

/// What a run directory holds.
struct StoredRecords {
  std::vector<Record> records;  ///< of each Case, those of its latest run; in order of appearance
  std::string note;             ///< what was left out and why, or empty
  std::string incomplete = {};  ///< which Cases their runs did not come to, or empty
};

/// Throws UsageError for a directory without records, InstrumentError (`file:line: ...`) for a line
/// that is no Record, and for audits in the form of an earlier version. A last line without its
/// line feed is left out, and said in the note.
StoredRecords read_records(const std::string& directory);

/// The same with the Records that are about this alone.
StoredRecords only(const StoredRecords& stored, Measured measured);

/// Records of one Case stand together. Where a Case comes again, later or with a tensor it already
/// had, it was run again: only its last run stays. Check and audit of a Case are two runs.
std::vector<Record> latest_of_each_case(const std::vector<Record>& records);

/// Of the records; what their runs did not come to is a gap too.
Tally tally(const StoredRecords& stored);

}  // namespace gradproof
