// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// One Case as a run judges it: `check` and `audit` of the same Case are two.
struct RunCase {
  Measured measured = Measured::comparison;
  std::string text;
  friend auto operator<=>(const RunCase&, const RunCase&) = default;
};

/// Adds the lines of a run to `path`, each written out at once. The first names the run's
/// Cases and the last says that it came to its end (docs/records.md), so that what is missing is
/// known. Creates the directory it lies in. The torn last line that a killed run left is cut off
/// first. Throws UsageError where the file cannot be opened, InstrumentError with the reason where
/// a line cannot be written.
class RunWriter {
 public:
  RunWriter(const std::string& path, Measured measured, const std::vector<std::string>& cases);
  void append(const std::string& line);
  /// Each Case that has lines has all of them. Nothing where a line could not be written before.
  void end();

 private:
  std::string path_;
  std::ofstream file_;
};

/// What the lines of a file say about the runs that wrote it.
struct StoredRuns {
  std::string note;        ///< what was left out and why, or empty
  std::string incomplete;  ///< which Cases their runs did not come to, or empty
};

/// Hands over each line of a file but those on the runs themselves; `read` returns the Case that it
/// is about. Left out is a last line without its line feed. A Case is missing where a run named it
/// and has no line about it, or where a run that has no end came no further. Throws UsageError for
/// a file that cannot be read, and InstrumentError with `file:line:` in front of what `read`
/// throws.
StoredRuns read_runs(const std::string& path,
                     const std::function<RunCase(const std::string&)>& read);

}  // namespace gradproof
