// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/escalation_pass.h"

#include <cmath>

namespace gradproof {

std::vector<std::int64_t> EscalationPass::settle(const std::vector<std::int64_t>& places) {
  if (!task_.allows(unit_)) {
    for (const std::int64_t place : places) leave(place, OpenReason::not_finite);
    return open_;
  }
  std::vector<std::int64_t> regular = defined(without_irregular(places));
  if (task_.summed) {
    const StepSelection& selection = task_.steps.at(unit_.arithmetic());
    if (selection.method == Method::direct) method_ = Method::direct;
    leave_together(regular, selection.choice, selection.self_error);
    return open_;
  }
  const StepChoice middle{1, step_rules::middle_step(unit_.precision())};
  std::size_t most = last_         ? step_rules::kSweptLast
                     : confirming_ ? step_rules::kSweptAgain
                                   : step_rules::kSwept;
  if (unit_.alone() && method_ != Method::direct) {
    // All entries are differenced together first: a sweep evaluates the whole unit at every move.
    const std::vector<OpenEntry> left = settled_together(regular, middle, 0);
    regular.clear();
    for (const OpenEntry& of : left) regular.push_back(of.place);
    most = last_ ? step_rules::kSwept : 0;
  }
  sweep_some(regular, most);
  for (const Sweep& sweep : sweeps_) settle_swept(sweep);
  regular.erase(regular.begin(), regular.begin() + std::ssize(sweeps_));
  if (regular.empty()) return open_;
  const StepChoice choice = chosen(sweeps_, task_.aim).value_or(middle);
  leave_together(regular, choice, worst_self_error(sweeps_, choice));
  return open_;
}

/// Drops the places whose own part of the loss is not finite before the move.
std::vector<std::int64_t> EscalationPass::defined(const std::vector<std::int64_t>& places) {
  if (!(unit_.alone() || task_.summed) || places.empty()) return places;
  const bool all = method_ != Method::direct;
  const Values<Real> at_rest = unit_.losses().changes_of(
      task_.tensor, all ? std::vector<std::int64_t>{} : places, {0}, method_)[0];
  std::vector<std::int64_t> result;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (isfinite(at_rest[all ? static_cast<std::size_t>(places[k]) : k]))
      result.push_back(places[k]);
    else
      leave(places[k], OpenReason::not_finite);
  }
  return result;
}

/// Counts and drops the places where a stage reports a kink or an edge within the finest step.
std::vector<std::int64_t> EscalationPass::without_irregular(
    const std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> regular;
  for (const std::int64_t place : places) {
    const std::string why = irregular(place, unit_.precision().finest);
    if (why.empty())
      regular.push_back(place);
    else
      tally_.count_inconclusive(unit_.entry(place),
                                why.starts_with("domain") ? OpenReason::domain : OpenReason::kink);
  }
  return regular;
}

void EscalationPass::sweep_some(const std::vector<std::int64_t>& places, std::size_t most) {
  for (std::size_t k = 0; k < std::min(most, places.size()); ++k) {
    Sweep& sweep = sweeps_.emplace_back(unit_, places[k]);
    if (unit_.is_reproduced(places[k])) widen(sweep, task_.aim);
    if (last_) deepen(sweep, task_.aim);
    scale_ = std::max(scale_, sweep.scale());
  }
  for (Sweep& sweep : sweeps_) sweep.take_scale(scale_);
}

/// The largest step, from `from` down, at which no stage reports a kink or a domain edge.
int EscalationPass::coarsest(std::int64_t place, int from) const {
  int step = from;
  while (step >= unit_.precision().finest && !irregular(place, step).empty()) --step;
  return step;
}

/// judge(), and once more with ErrorScales::permitted where that bound may change the verdict: a
/// wrong entry, or one that may be zero. The bound is expensive and is asked for only then.
EntryJudgement EscalationPass::judged(std::int64_t place, const Entry& entry, ErrorScales scales,
                                      const StepChoice& choice) const {
  const EntryJudgement judgement = judge(entry, scales, task_.aim, unit_.precision());
  const bool may_be_zero = judgement.verdict == EntryVerdict::unresolved && last_ &&
                           beside_nothing(entry, scales, unit_.precision());
  if (judgement.verdict != EntryVerdict::wrong && !may_be_zero) return judgement;
  scales.permitted = unit_.losses().rounding(task_.tensor, place, choice.order_index,
                                             choice.log2_step + unit_.log2_scale());
  return judge(entry, scales, task_.aim, unit_.precision());
}

/// A step at which the claim is wrong and that finer steps do not contradict; or the step given,
/// where the claim is not wrong there. Nothing where finer steps contradict every one.
std::optional<StepChoice> EscalationPass::undenied(const Sweep& sweep,
                                                   std::optional<StepChoice> choice) const {
  while (choice) {
    const ErrorScales scales = sweep.error_scales(choice->log2_step);
    if (judged(sweep.place(), sweep.entry(*choice), scales, *choice).verdict != EntryVerdict::wrong)
      break;
    const auto finer = denied(sweep, *choice);
    if (!finer && grows(sweep, *choice)) return std::nullopt;
    if (!finer) break;
    choice = chosen(sweep, task_.aim, *finer + 1);
  }
  return choice;
}

void EscalationPass::settle_swept(const Sweep& sweep) {
  const std::int64_t place = sweep.place();
  // The reason is read off where the differences agree best, even if a kink forbids that step.
  const StepChoice seen = most_agreeing(sweep);
  OpenReason reason = why_open(place, sweep.entry(seen), sweep.error_scales(seen.log2_step));
  if (reason == OpenReason::kink && !steady_kink(sweep, seen)) reason = OpenReason::cancellation;
  const auto choice = undenied(sweep, chosen(sweep, task_.aim, coarsest(place, sweep.coarsest())));
  if (reason == OpenReason::cancellation && (!sweep.is_informative(seen) || grows(sweep, seen)))
    reason = OpenReason::too_fine;
  const StepChoice taken = choice.value_or(seen);
  const Entry entry = sweep.entry(taken);
  const ErrorScales scales = sweep.error_scales(taken.log2_step);
  // Where no step is informative, claim and differences may still be the rounding of 0.
  const bool zero = !choice && judged(place, entry, scales, taken).verdict == EntryVerdict::zero;
  if (!(choice || zero) || !settled_one(place, entry, scales, taken)) leave(place, reason);
}

/// The differences at `places`: by the method for all entries of the unit where that costs less
/// than direct moves of these.
Values<Entry> EscalationPass::differenced(const std::vector<std::int64_t>& places,
                                          const StepChoice& choice) const {
  const bool most = std::ssize(places) > unit_.count() / 2;
  if (method_ == Method::direct || !(most || method_ == Method::together))
    return unit_pass(unit_, choice, Method::direct, places);
  const Values<Entry> every = unit_pass(unit_, choice, method_);
  Values<Entry> entries;
  for (const std::int64_t place : places) entries.push_back(every[static_cast<std::size_t>(place)]);
  return entries;
}

/// Decides entries at one step and returns those that stay open; `self_error` as in
/// error_scales_of().
std::vector<OpenEntry> EscalationPass::settled_together(const std::vector<std::int64_t>& places,
                                                        const StepChoice& choice,
                                                        double self_error) {
  if (places.empty()) return {};
  const Values<Entry> entries = differenced(places, choice);
  scale_ = std::max(scale_, scale_of(entries));
  const ErrorScales scales = error_scales_of(entries, scale_, unit_.typical_gradient(),
                                             unit_.noise(choice.log2_step), self_error);
  std::vector<OpenEntry> left;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const ErrorScales of_entry =
        unit_.alone()
            ? error_scales_of_element(scales, entries[k], noise_of(places[k], choice.log2_step))
            : scales;
    if (!settled_one(places[k], entries[k], of_entry, choice))
      left.push_back({places[k], entries[k], why_open(places[k], entries[k], of_entry)});
  }
  if (last_) doubt_kinks(left, choice);
  return left;
}

void EscalationPass::leave_together(const std::vector<std::int64_t>& places,
                                    const StepChoice& choice, double self_error) {
  for (const OpenEntry& left : settled_together(places, choice, self_error))
    leave(left.place, left.reason);
}

/// Keeps the reason "kink" only where the jump stays the same at two finer steps.
void EscalationPass::doubt_kinks(std::vector<OpenEntry>& left, const StepChoice& choice) const {
  std::vector<std::int64_t> places;
  for (const OpenEntry& of : left)
    if (of.reason == OpenReason::kink) places.push_back(of.place);
  if (places.empty()) return;
  const auto step = [&](int k) {
    return std::max(unit_.precision().finest, choice.log2_step - 2 * k);
  };
  const Values<Entry> finer = differenced(places, {choice.order_index, step(1)});
  const Values<Entry> finest = differenced(places, {choice.order_index, step(2)});
  std::size_t k = 0;
  for (OpenEntry& of : left) {
    if (of.reason != OpenReason::kink) continue;
    std::array<double, 3> noise{};
    for (int at = 0; at < 3; ++at)
      noise[static_cast<std::size_t>(at)] = noise_of(of.place, step(at));
    if (!steady({of.entry, finer[k], finest[k]}, noise)) of.reason = OpenReason::cancellation;
    ++k;
  }
}

/// Why an entry cannot be decided at this step.
OpenReason EscalationPass::why_open(std::int64_t place, const Entry& entry,
                                    const ErrorScales& scales) const {
  // Where 50 digits cannot hold number + largest step, no step is one.
  const double largest = std::ldexp(1, step_rules::kCoarsest + unit_.log2_scale());
  if (isfinite(entry.claimed) && !unit_.losses().moves(task_.tensor, place, largest))
    return OpenReason::cancellation;
  if (!isfinite(entry.fine) || !isfinite(entry.self_error)) return OpenReason::domain;
  if (!isfinite(entry.claimed)) return OpenReason::not_finite;
  if (kinked(entry, scales, task_.aim)) return OpenReason::kink;
  return entry.unchanged ? OpenReason::saturation : OpenReason::cancellation;
}

bool EscalationPass::settled_one(std::int64_t place, const Entry& entry, const ErrorScales& scales,
                                 const StepChoice& choice) {
  EntryJudgement judgement = judged(place, entry, scales, choice);
  const bool undefined = !isfinite(entry.claimed);
  if (undefined && last_ && defined_slope(entry)) judgement.verdict = EntryVerdict::wrong;
  const bool wrong = judgement.verdict == EntryVerdict::wrong;
  if (wrong && entry.unchanged && !undefined && !unit_.is_reproduced(place))
    judgement = {EntryVerdict::zero, 0, 0};  // the claim is the rounding of 0
  if (judgement.verdict == EntryVerdict::unresolved) return false;
  // Roundings that scale with the step make two differences agree on a wrong number. Therefore
  // no entry is wrong before two arithmetics say so.
  if (judgement.verdict == EntryVerdict::wrong && !confirming_ && !last_) return false;
  const bool zero = judgement.verdict == EntryVerdict::zero;
  if (zero && entry.unchanged && entry.claimed != 0 && unit_.is_reproduced(place))
    tally_.count_inconclusive(entry.index, OpenReason::saturation);
  else
    tally_.count(entry, judgement);
  return true;
}

void EscalationPass::leave(std::int64_t place, OpenReason reason) {
  if (last_)
    tally_.count_inconclusive(unit_.entry(place), reason);
  else
    open_.push_back(place);
}

}  // namespace gradproof
