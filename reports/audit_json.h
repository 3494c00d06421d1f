// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/audit.h"

namespace gradproof {

/// One JSON line without a line feed; read_audit gives the same row back, bit for bit.
std::string audit_line(const AuditRow& row);

/// Throws InstrumentError for text that is no AuditRow.
AuditRow read_audit(std::string_view line);

}  // namespace gradproof
