// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// Compares the claimed gradient with central differences (docs/audit.md), for every entry of every
/// tensor of the target. Returns one row for each tensor; its witnesses are left empty.
std::vector<AuditRow> audit_target(const AuditTarget& target, const AuditOptions& options);

}  // namespace gradproof
