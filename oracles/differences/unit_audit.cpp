// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_audit.h"

#include <numeric>

namespace gradproof {
namespace {

std::vector<std::int64_t> all_places(const UnitAtRest& unit) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(unit.count()));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// Judges entries, without `asked` all of the unit, at the step of the sample or of the second
/// arithmetic, and counts those
/// that are certified, or zero with a claim that is no more than the rounding of 0. `scale` is that
/// of the unit as far as it is known.
OpenEntries judge_packed(const TensorTask& task, const UnitAtRest& unit,
                         const std::vector<std::int64_t>& asked, Extended scale,
                         EntryTally& tally) {
  OpenEntries left;
  left.scale = scale;
  const std::vector<std::int64_t> places = asked.empty() ? all_places(unit) : asked;
  if (!task.allows(unit)) left.open = places;
  if (places.empty() || !task.allows(unit)) return left;
  const StepSelection& selection = task.selection;
  const bool first = unit.arithmetic() == task.arithmetic;
  const StepChoice& choice = first ? selection.choice : step_rules::kSecondChoice;
  const Values<Entry> entries = differenced(unit, choice, selection.method, asked);
  left.scale = std::max(scale, scale_of(entries));
  const ErrorScales common =
      error_scales_of(entries, left.scale, 0, unit.noise(choice.log2_step), selection.self_error);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& entry = entries[k];
    ErrorScales scales = common;
    if (unit.alone())
      scales = common.of_element(entry, unit.noise_of(choice.log2_step, places[k], left.scale));
    // The typical gradient is slow to compute, and most entries are certified whatever it is.
    EntryJudgement judgement = judge_by_size(entry, scales, task.aim, unit.precision());
    if (judgement.verdict == EntryVerdict::unresolved) {
      if (!unit.alone()) scales.typical_gradient = unit.typical_gradient();
      judgement = judge(entry, scales, task.aim, unit.precision());
    }
    const bool rough = !first && judgement.verdict == EntryVerdict::certified &&
                       judgement.estimate > step_rules::kSecondEstimate;
    if (judgement.verdict == EntryVerdict::wrong) {
      left.wrong.push_back(places[k]);
      left.entries.push_back(entry);
      left.judgements.push_back(judgement);
    } else if (judgement.verdict == EntryVerdict::unresolved || rough ||
               (entry.fine == 0 && entry.claimed != 0 && unit.is_reproduced(places[k]))) {
      left.open.push_back(places[k]);
    } else {
      tally.count(entry, judgement);
    }
  }
  return left;
}

/// Counts and drops the places where a stage reports a kink or an edge at the number itself: no
/// difference shows a bend of the second derivative.
void drop_irregular(std::vector<std::int64_t>& places, const UnitAtRest& unit, EntryTally& tally) {
  const double move = std::ldexp(1, step_rules::kLastChoice.log2_step + unit.log2_scale());
  std::erase_if(places, [&](std::int64_t place) {
    const Irregularity met = unit.losses().irregular(unit.tensor(), place, move);
    if (met != Irregularity::none)
      tally.count_inconclusive(unit.entry(place),
                               met == Irregularity::domain ? OpenReason::domain : OpenReason::kink);
    return met != Irregularity::none;
  });
}

void append(std::vector<std::int64_t>& places, const std::vector<std::int64_t>& more) {
  places.insert(places.end(), more.begin(), more.end());
}

}  // namespace

void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally) {
  const auto unit = [&](AuditArithmetic arithmetic) {
    return UnitAtRest(cache, task.tensor, arithmetic, entries.unit);
  };
  OpenEntries left = judge_packed(task, unit(task.arithmetic), entries.places, 0, tally);
  tally.count_escalated(std::ssize(left.open) + std::ssize(left.wrong));
  if (left.open.empty() && left.wrong.empty()) return;
  const UnitAtRest triple = unit(AuditArithmetic::triple_double);
  drop_irregular(left.open, triple, tally);
  drop_irregular(left.wrong, triple, tally);
  if (task.arithmetic == AuditArithmetic::triple_double) {
    append(left.open, left.wrong);
    left.wrong.clear();
  } else {
    OpenEntries next;
    if (!left.wrong.empty()) next = judge_packed(task, triple, left.wrong, left.scale, tally);
    if (!left.open.empty()) {
      const OpenEntries open = judge_packed(task, triple, left.open, left.scale, tally);
      append(next.open, open.open);
      append(next.open, open.wrong);
      next.scale = std::max(next.scale, open.scale);
    }
    left = std::move(next);
  }
  if (!left.open.empty() || !left.wrong.empty())
    settle(task, unit(AuditArithmetic::digits400), left, tally);
}

}  // namespace gradproof
