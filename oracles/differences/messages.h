// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/tally.h"
#include "oracles/differences/target.h"

namespace gradproof {

std::string name_of(Reach reach);
std::string name_of(Method method);

/// The row with the verdict "inconclusive" and this reason.
AuditRow inconclusive(AuditRow row, std::string reason);

/// The row with verdict and reason, after EntryTally::fill_in(). `objection`: why the differences
/// themselves cannot be trusted; empty where they can.
AuditRow with_verdict(AuditRow row, const EntryTally& tally, const std::string& objection);

}  // namespace gradproof
