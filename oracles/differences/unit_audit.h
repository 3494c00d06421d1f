// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <mutex>

#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// The steps of a tensor that its sample selects, by packed arithmetic, each selected at the first
/// use.
class SelectedSteps {
 public:
  /// The target must outlive it.
  SelectedSteps(const AuditTarget& target, std::size_t tensor, AuditArithmetic first,
                const Aim& aim)
      : target_(target), tensor_(tensor), first_(first), aim_(aim) {}

  const StepSelection& at(AuditArithmetic arithmetic);

 private:
  const AuditTarget& target_;
  std::size_t tensor_;
  AuditArithmetic first_;
  Aim aim_;
  std::mutex mutex_;
  std::array<std::optional<StepSelection>, 2> selections_;
};

/// Which tensor is audited, in which arithmetic first, and to what aim. In the target each entry
/// affects one unit.
struct TensorTask {
  const AuditTarget& target;
  std::size_t tensor = 0;
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  Aim aim;
  SelectedSteps& steps;
  bool summed = false;  ///< the target is a SummedTarget

  /// Whether entries of the unit can be judged. One that is not finite in one of the summed units
  /// leaves the others of the sum.
  bool allows(const UnitAtRest& unit) const { return summed || unit.finite(); }
};

/// Audits entries of one unit: in double-doubles (or first in triple-doubles) at the step of the
/// sample, what that leaves open in triple-doubles at theirs, and what is open then by settle().
void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally);

/// Entries of one unit that packed arithmetic has not decided, by place.
struct OpenEntries {
  std::vector<std::int64_t> open;
  std::vector<std::int64_t> wrong;  ///< by each packed arithmetic; as many judgements
  Values<Entry> entries;            ///< of `wrong`
  std::vector<EntryJudgement> judgements;
  Extended scale = 0;  ///< ErrorScales::scale of the unit, as far as it is known
};

/// Decides what is open in 400 digits at one step, h = 2^-200 of the scale of moves: so small that
/// D(h) has no truncation error that counts unless L changes within 2^-160 of the scale, in numbers
/// so long that it has no rounding error unless L cancels 300 digits. Therefore D2(h) serves, no
/// step is sought, and only what lies at the number itself is a kink or an edge. Of the entries
/// that packed arithmetics call wrong two are decided so; where both are, the others are believed
/// to be. What still has no verdict is counted as inconclusive, by reason.
void settle(const TensorTask& task, const UnitAtRest& unit, const OpenEntries& left,
            EntryTally& tally);

}  // namespace gradproof
