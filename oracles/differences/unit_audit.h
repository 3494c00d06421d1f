// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// The settings of a tensor's audit: the first arithmetic, the step and method, and the tolerance.
/// In the target each entry affects one unit.
struct TensorTask {
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  double tolerance = 1e-20;
  const StepSelection& selection;
  bool summed = false;  ///< the target is a SummedTarget
};

/// Audits entries of one unit: in double-doubles (or at once in triple-doubles) at the step of the
/// sample, the open ones in triple-doubles at step_rules::kSecondChoice, and those still open in
/// 400 digits at step_rules::kLastChoice. Several units may be audited at once, each with a cache
/// and a tally of its own.
void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally);

}  // namespace gradproof
