// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/tally.h"
#include "oracles/differences/target.h"

namespace gradproof {

std::string name_of(Reach reach);
std::string name_of(Method method);

/// The row with that verdict and reason.
AuditRow inconclusive(AuditRow row, std::string reason);

/// Verdict and reason of a row that the tally has told. `objection` says that the differences
/// themselves are not to be trusted; empty: they are.
AuditRow with_verdict(AuditRow row, const EntryTally& tally, const std::string& objection);

}  // namespace gradproof
