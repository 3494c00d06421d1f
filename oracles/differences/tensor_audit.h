// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// All that the passes over a tensor are asked.
struct TensorTask {
  const AuditTarget& target;
  std::size_t tensor = 0;
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  Aim aim;
  std::int64_t entries = 0;  ///< wanted; 0: all
};

/// Every entry of a tensor that is felt in one unit, unit by unit: judged where it is differenced,
/// what is open escalated there and then.
EntryTally audit_by_unit(const TensorTask& task, const StepSelection& selection);

/// Every entry of a tensor that is felt in several units: the sum of what it does to each, all
/// units at the same step over their own scale. What is open is summed again, with a step of its
/// own, in the next arithmetic.
EntryTally audit_by_sum(const TensorTask& task, const StepSelection& selection);

}  // namespace gradproof
