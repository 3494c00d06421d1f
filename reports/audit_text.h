// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/audit.h"

namespace gradproof {

/// The audit of one Case for reading: a line for each tensor, then each step sweep as a V-curve.
std::string audit_table(const std::vector<AuditRow>& rows);

/// Error against step, one line for each step, a bar of one sign for each decimal digit that
/// agrees; the step that was taken is marked.
std::string v_curve(const AuditRow& row);

}  // namespace gradproof
