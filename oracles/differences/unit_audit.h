// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/step_selection.h"
#include "oracles/differences/tally.h"

namespace gradproof {

/// Which tensor is audited, in which arithmetic first, by which step and method, and to what aim.
/// In the target each entry affects one unit.
struct TensorTask {
  const AuditTarget& target;
  std::size_t tensor = 0;
  AuditArithmetic arithmetic = AuditArithmetic::double_double;
  Aim aim;
  const StepSelection& selection;
  bool summed = false;  ///< the target is a SummedTarget

  /// Whether entries of the unit can be judged. One that is not finite in one of the summed units
  /// leaves the others of the sum.
  bool allows(const UnitAtRest& unit) const { return summed || unit.finite(); }
};

/// Audits entries of one unit: in double-doubles (or at once in triple-doubles) at the step of the
/// sample, what these leave open in triple-doubles at step_rules::kSecondChoice, and what is open
/// then by settle().
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
