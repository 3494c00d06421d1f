// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"

namespace gradproof {

/// What an audit is at, as the worker's lines say it (cli/protocol/protocol.h, Line).
inline constexpr const char* kDifferences = "differences";
inline constexpr const char* kKernel = "kernel";  ///< it runs: a crash is its own
inline constexpr const char* kWitnesses = "witnesses";

/// The row's verdict of its differences and all its witnesses: wrong where a witness is. What
/// wrong and mistrusted witnesses have to say stands behind the row's own reason:
/// "kernel: 4191 of 4191 entries, the worst [3,7]; off by 1/d". Once for each row.
void settle(AuditRow& row);

}  // namespace gradproof
