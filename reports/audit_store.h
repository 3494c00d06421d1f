// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/audit_json.h"
#include "reports/store.h"

namespace gradproof {

/// Adds rows to DIRECTORY/audit.jsonl, each with its picture beside it. Creates the directory.
/// Throws UsageError when it cannot write.
class AuditWriter {
 public:
  explicit AuditWriter(const std::string& directory);
  void append(const AuditRecord& record);
  /// Writes DIRECTORY/audit.md about all rows that are there.
  void finish() const;

 private:
  std::string directory_;
  LineWriter lines_;
};

struct StoredAudit {
  std::vector<AuditRecord> records;  ///< of each Case and tensor the latest, in order of appearance
  std::string note;                  ///< what was left out and why, or empty
};

/// Whether the directory holds an audit.
bool has_audit(const std::string& directory);

/// Throws UsageError for a directory without an audit, InstrumentError (`file:line: ...`) for a
/// line that is no row.
StoredAudit read_audits(const std::string& directory);

}  // namespace gradproof
