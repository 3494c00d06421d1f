// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_audit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "oracles/differences/steps/step_rules.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {
namespace {

using step_rules::kLastChoice;

/// A claim that was computed in 50 digits is, below this part of a typical gradient, the rounding
/// of 0: 2^40 roundings of 2^-166. If no move changes L at all, it is no error.
constexpr double kGivenNothing = 1e-38;

/// Entries that packed arithmetics call wrong and 400 digits confirm, of each unit.
constexpr std::ptrdiff_t kConfirmed = 2;

using Places = std::vector<std::int64_t>;

struct JudgedEntry {
  Entry entry;
  EntryJudgement judgement;
};

/// Entries of one unit that an arithmetic has not decided, by place.
struct Undecided {
  Places open;
  Places wrong;                       ///< by each packed arithmetic so far
  std::vector<JudgedEntry> wrong_as;  ///< as many
};

void append(Places& places, const Places& more) {
  places.insert(places.end(), more.begin(), more.end());
}

class UnitAudit {
 public:
  UnitAudit(const TensorTask& task, LossCache& cache, std::int64_t unit, EntryTally& tally)
      : task_(task), cache_(cache), unit_(unit), tally_(tally) {}

  /// Audits the entries at these places; without places, all entries.
  void run(const Places& places) {
    Undecided left = judge_packed(at_rest(task_.arithmetic), places);
    tally_.count_escalated(std::ssize(left.open) + std::ssize(left.wrong));
    if (left.open.empty() && left.wrong.empty()) return;
    const UnitAtRest triple = at_rest(AuditArithmetic::triple_double);
    drop_irregular(triple, left.open);
    drop_irregular(triple, left.wrong);
    if (task_.arithmetic == AuditArithmetic::triple_double) {
      append(left.open, left.wrong);
      left.wrong.clear();
    } else {
      Undecided next;
      if (!left.wrong.empty()) next = judge_packed(triple, left.wrong);
      if (!left.open.empty()) {
        const Undecided open = judge_packed(triple, left.open);
        append(next.open, open.open);
        append(next.open, open.wrong);
      }
      left = std::move(next);
    }
    if (!left.open.empty() || !left.wrong.empty()) settle(left);
  }

 private:
  UnitAtRest at_rest(AuditArithmetic arithmetic) { return UnitAtRest(cache_, arithmetic, unit_); }

  /// True if entries of the unit can be judged. In a sum over units an entry that is not finite
  /// does not keep the others from being judged.
  bool allows(const UnitAtRest& unit) const { return task_.summed || unit.finite(); }

  void leave(const UnitAtRest& unit, std::int64_t place, OpenReason reason) {
    tally_.count_inconclusive(unit.entry(place), reason);
  }

  /// Judges the entries at `asked`, or all of the unit if it is empty, at the step of the sample or
  /// of the second arithmetic, and counts those that are certified, or zero with a claim that is no
  /// more than the rounding of 0.
  Undecided judge_packed(const UnitAtRest& unit, const Places& asked) {
    Undecided left;
    if (unit.count() == 0) return left;
    if (!allows(unit)) {
      left.open = asked;
      left.open.resize(asked.empty() ? static_cast<std::size_t>(unit.count()) : asked.size());
      if (asked.empty()) std::iota(left.open.begin(), left.open.end(), 0);
      return left;
    }
    const StepSelection& selection = task_.selection;
    const bool first = unit.arithmetic() == task_.arithmetic;
    const StepChoice& choice = first ? selection.choice : step_rules::kSecondChoice;
    const Values<Entry> entries = differenced(unit, choice, selection.method, asked);
    scale_ = std::max(scale_, scale_of(entries));
    const ErrorScales common = unit.with_shared_noise(
        error_scales_of(entries, scale_, selection.self_error), choice.log2_step);
    for (const Entry& entry : entries) {
      ErrorScales scales = unit.with_own_noise(common, entry, choice.log2_step);
      // The typical gradient is slow to compute, and most entries are certified without it.
      EntryJudgement judgement = judge_by_size(entry, scales, task_.tolerance, unit.precision());
      if (judgement.verdict == EntryVerdict::unresolved) {
        scales = unit.with_typical_gradient(scales);
        judgement = judge(entry, scales, task_.tolerance, unit.precision());
      }
      const bool rough = !first && judgement.verdict == EntryVerdict::certified &&
                         judgement.estimate > step_rules::kSecondEstimate;
      if (judgement.verdict == EntryVerdict::wrong) {
        left.wrong.push_back(entry.place);
        left.wrong_as.push_back({entry, judgement});
      } else if (judgement.verdict == EntryVerdict::unresolved || rough ||
                 (entry.fine == 0 && entry.claimed != 0 && unit.is_reproduced(entry.place))) {
        left.open.push_back(entry.place);
      } else {
        tally_.count(entry, judgement);
      }
    }
    return left;
  }

  /// Counts and drops the places where a stage reports a kink or an edge at the number itself: no
  /// difference shows a bend of the second derivative.
  void drop_irregular(const UnitAtRest& unit, Places& places) {
    const double move = std::ldexp(1, kLastChoice.log2_step + unit.log2_scale());
    const std::vector<Irregularity> met =
        places.empty() ? std::vector<Irregularity>()
                       : unit.losses().irregularities(unit.tensor(), places, move);
    Places regular;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (met[k] == Irregularity::none)
        regular.push_back(places[k]);
      else
        leave(unit, places[k],
              met[k] == Irregularity::domain ? OpenReason::domain : OpenReason::kink);
    places = std::move(regular);
  }

  /// Decides the open entries in 400 digits at one step, h = 2^-200 of the scale of moves: so small
  /// that D(h) has no truncation error that counts unless L changes within 2^-160 of the scale, in
  /// numbers so long that D(h) has no rounding error unless L cancels 300 digits. Therefore D2(h)
  /// serves, no step is sought, and only a kink or an edge at the number itself counts. Of the
  /// entries that the packed arithmetics call wrong, the first two (kConfirmed) are judged in 400
  /// digits; if both are wrong there too, the packed verdicts of the others are accepted. An entry
  /// that still has no verdict is counted as inconclusive, with its reason.
  void settle(const Undecided& left) {
    const UnitAtRest unit = at_rest(AuditArithmetic::digits400);
    if (!allows(unit)) {
      for (const Places* places : {&left.open, &left.wrong})
        for (const std::int64_t place : *places) leave(unit, place, OpenReason::not_finite);
      return;
    }
    judge_last(unit, left.open);
    const std::ptrdiff_t asked = std::min(kConfirmed, std::ssize(left.wrong));
    const auto middle = left.wrong.begin() + asked;
    const std::ptrdiff_t wrong = judge_last(unit, {left.wrong.begin(), middle});
    if (wrong < asked)
      judge_last(unit, {middle, left.wrong.end()});
    else
      for (auto k = static_cast<std::size_t>(asked); k < left.wrong.size(); ++k)
        tally_.count(left.wrong_as[k].entry, left.wrong_as[k].judgement);
  }

  /// Counts the entries at these places, and returns how many are wrong.
  std::ptrdiff_t judge_last(const UnitAtRest& unit, const Places& places) {
    const Places regular = defined(unit, places);
    if (regular.empty()) return 0;
    // A method that disagreed with direct moves on the sample is not used again.
    const Method method =
        task_.selection.only_direct ? Method::direct : unit.losses().quickest(unit.tensor());
    const Values<Entry> entries = differenced(unit, kLastChoice, method, regular);
    scale_ = std::max(scale_, scale_of(entries));
    ErrorScales common =
        unit.with_shared_noise(error_scales_of(entries, scale_, 0), kLastChoice.log2_step);
    common = unit.with_typical_gradient(common);
    return std::ranges::count_if(entries, [&](const Entry& entry) {
      const ErrorScales scales = unit.with_own_noise(common, entry, kLastChoice.log2_step);
      const EntryJudgement judgement = last_judgement(unit, entry, scales);
      if (judgement.verdict == EntryVerdict::unresolved)
        leave(unit, entry.place, why_open(unit, entry, scales));
      else
        tally_.count(entry, judgement);
      return judgement.verdict == EntryVerdict::wrong;
    });
  }

  /// Counts and drops the places whose own part of the loss is not finite before the move.
  Places defined(const UnitAtRest& unit, const Places& places) {
    if (!(unit.alone() || task_.summed) || places.empty()) return places;
    const Values<Digits400> at_rest =
        unit.losses().changes(unit.tensor(), places, {0}, Method::direct)[0];
    Places result;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (isfinite(at_rest[k]))
        result.push_back(places[k]);
      else
        leave(unit, places[k], OpenReason::not_finite);
    return result;
  }

  EntryJudgement last_judgement(const UnitAtRest& unit, const Entry& entry,
                                const ErrorScales& scales) const {
    // If |D(h) - D(2h)| <= 1e-6 |D(h)|, the slope exists, and a claim that is not finite is
    // wrong.
    constexpr double kDefined = 1e-6;
    EntryJudgement judgement = judge(entry, scales, task_.tolerance, unit.precision());
    const bool undefined = !std::isfinite(entry.claimed);
    if (undefined && std::abs(entry.self_error) <= std::abs(entry.fine) * kDefined)
      judgement.verdict = EntryVerdict::wrong;
    const bool claims_a_change = entry.unchanged && entry.claimed != 0 && !undefined;
    if (claims_a_change && judgement.verdict == EntryVerdict::wrong &&
        std::abs(entry.claimed) <= kGivenNothing * scales.typical_gradient)
      return {EntryVerdict::zero, 0, 0};
    if (claims_a_change && judgement.verdict == EntryVerdict::zero &&
        unit.is_reproduced(entry.place))
      judgement.verdict = EntryVerdict::unresolved;
    return judgement;
  }

  OpenReason why_open(const UnitAtRest& unit, const Entry& entry, const ErrorScales& scales) const {
    // If 400 digits cannot hold number + h, there is no difference.
    const double move = std::ldexp(1, kLastChoice.log2_step + unit.log2_scale());
    if (std::isfinite(entry.claimed) && !unit.losses().moves(unit.tensor(), entry.place, move))
      return OpenReason::cancellation;
    if (!std::isfinite(entry.fine) || !std::isfinite(entry.self_error)) return OpenReason::domain;
    if (!std::isfinite(entry.claimed)) return OpenReason::not_finite;
    if (kinked(entry, scales, task_.tolerance)) return OpenReason::kink;
    if (entry.unchanged) return OpenReason::saturation;
    const bool informative = is_informative(std::abs(entry.self_error), std::abs(entry.fine),
                                            scales.typical_gradient, scales.rounding);
    return informative ? OpenReason::cancellation : OpenReason::too_fine;
  }

  const TensorTask& task_;
  LossCache& cache_;
  std::int64_t unit_;
  EntryTally& tally_;
  Extended scale_ = 0;  ///< ErrorScales::scale of the unit, as far as it is known
};

}  // namespace

void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally) {
  UnitAudit(task, cache, entries.unit, tally).run(entries.places);
}

}  // namespace gradproof
