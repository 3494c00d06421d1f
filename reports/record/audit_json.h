// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/compare/audit_row.h"

namespace gradproof {

/// A row of the audit and what it belongs to: one line of DIR/audit.jsonl.
struct AuditRecord {
  std::string case_text;
  std::string kernel;  ///< the Case's word, a mutant's name behind a slash
  AuditRow row;
};

/// One JSON line without a line feed; read_audit gives the same row back, bit for bit.
std::string audit_line(const AuditRow& row);
std::string audit_line(const AuditRecord& record);

/// Throw InstrumentError for text that is no AuditRow or AuditRecord.
AuditRow read_audit(std::string_view line);
AuditRecord read_audit_record(std::string_view line);

}  // namespace gradproof
