// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/record/audit_json.h"
#include "reports/record/run_lines.h"

namespace gradproof {

/// Adds the rows of a run to DIRECTORY/audit.jsonl as RunWriter does, each with its picture beside
/// it. Throws InstrumentError where those cannot be written.
class AuditWriter {
 public:
  AuditWriter(const std::string& directory, const std::vector<std::string>& cases);
  void append(const AuditRecord& record);
  /// The run's last line, and DIRECTORY/audit.md about all rows that are there.
  void end();

 private:
  std::string directory_;
  RunWriter lines_;
};

struct StoredAudit {
  std::vector<AuditRecord> records;  ///< of each Case those of its latest run, in order
  std::string note;                  ///< what was left out and why, or empty
  std::string incomplete = {};       ///< which Cases their runs did not come to, or empty
};

/// Whether the directory holds an audit.
bool has_audit(const std::string& directory);

/// The audit as a page; lines at its end say what is incomplete and what was left out.
std::string audit_page(const StoredAudit& stored);

/// Throws UsageError for a directory without an audit, InstrumentError (`file:line: ...`) for a
/// line that is no row.
StoredAudit read_audits(const std::string& directory);

}  // namespace gradproof
