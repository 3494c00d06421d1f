// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/runs/run_header.h"

namespace gradproof {

/// All Records of one Case from one run, or the findings of one cell, and the lines they stood
/// in.
struct CaseRecords {
  std::string text;  ///< the Case, or the cell
  std::vector<Record> records;
  std::string lines;       ///< each with its line feed; or what names them (content_id)
  std::string found = {};  ///< in a cell, in the words of its verb
};

/// The form of the lines: merge holds their text; reports need only a name, and half the memory.
enum class Lines { held, named };

/// The content of a run's file.
struct RunFile {
  RunHeader header;
  std::vector<CaseRecords> done;  ///< Cases with all of their Records, as they were written
  std::optional<RunEnd> end;
  std::string note;  ///< what was left out at the end of the file and why, or empty
};

/// Reads the file of a run. A last line without its line feed is torn: it is left out, and so are
/// the other Records of its Case. Returns nothing if the first line is torn or absent. Throws
/// UsageError for a file that cannot be read, and InstrumentError, `file:line: ...`, for every
/// other line that is not as a run writes it: a wrong checksum, a Record that the run was not to
/// make, one that stands alone where its Case has more.
std::optional<RunFile> read_run(const std::string& path, Lines lines = Lines::held);

/// Reads the first line alone, as read_run() does.
std::optional<RunHeader> read_run_header(const std::string& path);

}  // namespace gradproof
