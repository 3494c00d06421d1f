// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <mutex>

#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// The steps of a tensor that its sample selects, by arithmetic, each selected at the first use.
class SelectedSteps {
 public:
  /// The target must outlive it.
  SelectedSteps(const AuditTarget& target, std::size_t tensor, const Aim& aim)
      : target_(target), tensor_(tensor), aim_(aim) {}

  const StepSelection& at(AuditArithmetic arithmetic);

 private:
  const AuditTarget& target_;
  std::size_t tensor_;
  Aim aim_;
  std::mutex mutex_;
  std::array<std::optional<StepSelection>, 3> selections_;
};

/// Which tensor is audited, in which arithmetic first, and to what aim. In the target each entry
/// affects one unit.
struct TensorTask {
  const AuditTarget& target;
  std::size_t tensor = 0;
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  Aim aim;
  SelectedSteps& steps;
  bool summed = false;  ///< the target is a SummedTarget: its sweeps cost too much, and all steps
                        ///< are those of the sample

  /// Whether entries of the unit can be judged. One that is not finite in one of the summed units
  /// leaves the others of the sum.
  bool allows(const UnitAtRest& unit) const { return summed || unit.finite(); }
};

/// Audits entries of one unit: in the first arithmetic
/// at the step of the sample, then, what that leaves open, in the next arithmetics one after the
/// other. Entries that 50 digits leave open are counted as inconclusive, by reason.
void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally);

}  // namespace gradproof
