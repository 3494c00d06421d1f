// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/record.h"

namespace gradproof {

/// Adds lines to DIRECTORY/NAME, written out at once. Creates the directory. The torn last line
/// that a killed run left is cut off first. Throws UsageError when it cannot write.
class LineWriter {
 public:
  LineWriter(const std::string& directory, const std::string& name);
  void append(const std::string& line);

 private:
  std::string path_;
  std::ofstream file_;
};

/// Hands over each line of a file. Returns what was left out and why, or nothing: a last line
/// without its line feed. Throws UsageError for a file that cannot be read, and InstrumentError
/// with `file:line:` in front of what `read` throws.
std::string read_lines(const std::string& path,
                       const std::function<void(const std::string&)>& read);

/// Adds Records to DIRECTORY/records.jsonl as LineWriter does.
class RecordWriter {
 public:
  explicit RecordWriter(const std::string& directory);
  void append(const Record& record);

 private:
  LineWriter lines_;
};

/// What a run directory holds.
struct StoredRecords {
  std::vector<Record> records;  ///< of each Case, those of its latest run; in order of appearance
  std::string note;             ///< what was left out and why, or empty
};

bool has_records(const std::string& directory);

/// Throws UsageError for a directory without records, InstrumentError (`file:line: ...`) for a line
/// that is no Record. A last line without its line feed is left out, and said in the note.
StoredRecords read_records(const std::string& directory);

/// Records of one Case stand together. Where a Case comes again, later or with a tensor it already
/// had, it was run again: only its last run stays.
std::vector<Record> latest_runs(const std::vector<Record>& records);

}  // namespace gradproof
