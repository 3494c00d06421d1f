// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/audit_row.h"
#include "oracles/differences/options.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// Every entry of every tensor of the subject: the gradient that is claimed against central
/// differences, docs/audit.md. A row for each tensor, without witnesses.
std::vector<AuditRow> audit_target(const AuditTarget& target, const AuditOptions& options);

}  // namespace gradproof
