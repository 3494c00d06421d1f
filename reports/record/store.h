// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/record/run_lines.h"
#include "reports/record/tally.h"

namespace gradproof {

/// Adds the Records of a run to DIRECTORY/records.jsonl as RunWriter does.
class RecordWriter {
 public:
  RecordWriter(const std::string& directory, const std::vector<std::string>& cases);
  void append(const Record& record);
  void end() { lines_.end(); }

 private:
  RunWriter lines_;
};

/// What a run directory holds.
struct StoredRecords {
  std::vector<Record> records;  ///< of each Case, those of its latest run; in order of appearance
  std::string note;             ///< what was left out and why, or empty
  std::string incomplete = {};  ///< which Cases their runs did not come to, or empty
};

bool has_records(const std::string& directory);

/// Throws UsageError for a directory without records, InstrumentError (`file:line: ...`) for a line
/// that is no Record. A last line without its line feed is left out, and said in the note.
StoredRecords read_records(const std::string& directory);

/// Of the records; what their runs did not come to is a gap too.
Tally tally(const StoredRecords& stored);

}  // namespace gradproof
