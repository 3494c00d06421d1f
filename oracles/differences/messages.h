// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/tally.h"

namespace gradproof {

/// The row with the verdict "inconclusive" and this reason.
AuditRow inconclusive(AuditRow row, std::string reason);

/// The row with verdict and reason, after EntryTally::fill_in().
AuditRow with_verdict(AuditRow row, const EntryTally& tally);

}  // namespace gradproof
