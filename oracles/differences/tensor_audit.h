// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// Which tensor of the target is audited, in which arithmetic first, and to what aim.
struct TensorTask {
  const AuditTarget& target;
  std::size_t tensor = 0;
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  Aim aim;
  std::int64_t entries = 0;  ///< size of the sample; 0: all entries
};

/// Audits a tensor whose entries each affect one unit, unit by unit. Entries that stay open are
/// escalated before the next unit.
EntryTally audit_by_unit(const TensorTask& task, const StepSelection& selection);

/// Audits a tensor whose entries affect several units. The differences of all units, at one step
/// relative to the scale of each, are summed and then judged. Entries that stay open are summed
/// again in the next arithmetic, with a newly selected step.
EntryTally audit_by_sum(const TensorTask& task, const StepSelection& selection);

}  // namespace gradproof
