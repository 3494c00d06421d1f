// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/escalation_pass.h"

#include <cmath>

namespace gradproof {
namespace {

constexpr std::size_t kSwept = 6;       ///< entries of a unit that get a sweep of their own
constexpr std::size_t kSweptAgain = 2;  ///< ... where a pass confirms wrong entries
constexpr std::size_t kSweptLast = 48;  ///< ... at 50 digits

}  // namespace

std::vector<std::int64_t> EscalationPass::settle(const std::vector<std::int64_t>& places) {
  if (!unmoved_.finite()) {
    if (!is_last(arithmetic_)) return places;
    for (const std::int64_t place : places)
      tally_.count_inconclusive(losses_.entry(tensor_, place), kRange);
    return {};
  }
  std::vector<std::int64_t> regular = defined(without_irregular(places));
  std::size_t most = is_last(arithmetic_) ? kSweptLast : confirming_ ? kSweptAgain : kSwept;
  if (unmoved_.alone && method() != Method::direct) {
    // All entries are differenced together first: a sweep evaluates the whole unit at every move.
    const std::vector<OpenEntry> left = settled_together(regular, {1, precision_.finest / 3});
    regular.clear();
    for (const OpenEntry& of : left) regular.push_back(of.place);
    most = is_last(arithmetic_) ? kSwept : 0;
  }
  sweep_some(regular, most);
  for (std::size_t k = 0; k < sweeps_.size(); ++k) settle_swept(regular[k], sweeps_[k]);
  const auto swept = static_cast<std::ptrdiff_t>(sweeps_.size());
  if (swept == std::ssize(regular)) return open_;
  const auto found = chosen(sweeps_, aim_);
  const StepChoice choice = found ? *found : StepChoice{1, precision_.finest / 3};
  for (const OpenEntry& left : settled_together({regular.begin() + swept, regular.end()}, choice))
    leave(left.place, left.entry, left.reason);
  return open_;
}

/// Drops the places whose element of the loss is not finite before the move.
std::vector<std::int64_t> EscalationPass::defined(const std::vector<std::int64_t>& places) {
  if (!unmoved_.alone) return places;
  Values<Real> changes_at_rest;
  if (method() != Method::direct) changes_at_rest = losses_.changes(tensor_, 0, method());
  std::vector<std::int64_t> result;
  for (const std::int64_t place : places) {
    const Real at_rest = changes_at_rest.empty() ? losses_.change(tensor_, place, 0)
                                                 : changes_at_rest[static_cast<std::size_t>(place)];
    if (isfinite(at_rest))
      result.push_back(place);
    else if (is_last(arithmetic_))
      tally_.count_inconclusive(losses_.entry(tensor_, place), kRange);
    else
      open_.push_back(place);
  }
  return result;
}

/// Counts and drops the places where a stage reports a kink or an edge within the finest step.
std::vector<std::int64_t> EscalationPass::without_irregular(
    const std::vector<std::int64_t>& places) {
  const double move = std::ldexp(1, precision_.finest + unmoved_.log2_scale);
  std::vector<std::int64_t> regular;
  for (const std::int64_t place : places) {
    const std::string why = losses_.irregular(tensor_, place, move);
    if (why.empty())
      regular.push_back(place);
    else
      tally_.count_inconclusive(losses_.entry(tensor_, place),
                                why.starts_with("domain") ? "domain" : "kink");
  }
  return regular;
}

void EscalationPass::sweep_some(const std::vector<std::int64_t>& places, std::size_t most) {
  for (std::size_t k = 0; k < std::min(most, places.size()); ++k) {
    sweeps_.emplace_back(losses_, tensor_, places[k], unmoved_, precision_);
    if (reproduced(places[k], unmoved_.claimed[static_cast<std::size_t>(places[k])]))
      widen(sweeps_.back(), losses_, tensor_, places[k], aim_);
    if (is_last(arithmetic_)) deepen(sweeps_.back(), losses_, tensor_, places[k], aim_);
    scale_ = std::max(scale_, sweeps_.back().error_scales_without_noise().scale);
  }
  for (Sweep& sweep : sweeps_) sweep.take_scale(scale_);
}

/// The largest step, from `from` down, at which no stage reports a kink or a domain edge.
int EscalationPass::coarsest(std::int64_t place, int from) {
  int step = from;
  while (step >= precision_.finest &&
         !losses_.irregular(tensor_, place, std::ldexp(1, step + unmoved_.log2_scale)).empty())
    --step;
  return step;
}

/// judge(), and once more with ErrorScales::permitted where that bound may change the verdict: a
/// wrong entry, or one that may be zero. The bound is expensive and is asked for only then.
EntryJudgement EscalationPass::judged(std::int64_t place, const Entry& entry, ErrorScales scales,
                                      const StepChoice& choice) const {
  const EntryJudgement judgement = judge(entry, scales, aim_, precision_);
  const bool may_be_zero = judgement.verdict == EntryVerdict::unresolved && is_last(arithmetic_) &&
                           beside_nothing(entry, scales, precision_);
  if (judgement.verdict != EntryVerdict::wrong && !may_be_zero) return judgement;
  scales.permitted =
      losses_.rounding(tensor_, place, choice.order_index, choice.log2_step + unmoved_.log2_scale);
  return judge(entry, scales, aim_, precision_);
}

/// A step at which the claim is wrong and that finer steps do not contradict; or the step given,
/// where the claim is not wrong there. Nothing where finer steps contradict every one.
std::optional<StepChoice> EscalationPass::undenied(std::int64_t place, const Sweep& sweep,
                                                   std::optional<StepChoice> choice) const {
  while (choice) {
    const Entry entry = sweep.entry(choice->order_index, choice->log2_step);
    const ErrorScales scales = sweep.error_scales(choice->log2_step);
    if (judged(place, entry, scales, *choice).verdict != EntryVerdict::wrong) break;
    const auto finer = denied(sweep, *choice);
    if (!finer && grows(sweep, *choice)) return std::nullopt;
    if (!finer) break;
    choice = chosen(sweep, aim_, *finer + 1);
  }
  return choice;
}

void EscalationPass::settle_swept(std::int64_t place, const Sweep& sweep) {
  // The reason is read off where the differences agree best, even if a kink forbids that step.
  const StepChoice seen = most_agreeing(sweep);
  std::string reason = why_open(place, sweep.entry(seen.order_index, seen.log2_step),
                                sweep.error_scales(seen.log2_step));
  if (reason == "kink" && !steady_kink(sweep, seen)) reason = "cancellation";
  const auto choice =
      undenied(place, sweep, chosen(sweep, aim_, coarsest(place, sweep.coarsest())));
  if (reason == "cancellation" &&
      (!sweep.is_informative(seen.order_index, seen.log2_step) || grows(sweep, seen)))
    reason = kTooFine;
  const StepChoice taken = choice ? *choice : seen;
  const Entry entry = sweep.entry(taken.order_index, taken.log2_step);
  const ErrorScales scales = sweep.error_scales(taken.log2_step);
  // Where no step is informative, claim and differences may still be the rounding of 0.
  const bool zero = !choice && judged(place, entry, scales, taken).verdict == EntryVerdict::zero;
  if (!(choice || zero) || !settled_one(place, entry, scales, taken)) leave(place, entry, reason);
}

Values<Entry> EscalationPass::differenced(const std::vector<std::int64_t>& places,
                                          const StepChoice& choice) {
  const bool all = static_cast<std::int64_t>(places.size()) > losses_.count(tensor_) / 2;
  const bool quick = all || method() == Method::together;
  if (!quick || method() == Method::direct)
    return unit_pass(losses_, tensor_, unmoved_, choice, Method::direct, places);
  const Values<Entry> every = unit_pass(losses_, tensor_, unmoved_, choice, method());
  Values<Entry> entries;
  for (const std::int64_t place : places) entries.push_back(every[static_cast<std::size_t>(place)]);
  return entries;
}

ErrorScales EscalationPass::error_scales_for(const Values<Entry>& entries,
                                             const StepChoice& choice) const {
  const double noise = unmoved_.alone ? 0 : unmoved_.noise(precision_, choice.log2_step);
  ErrorScales scales{scale_, unmoved_.typical_gradient(),
                     std::max(noise, typical_estimate(entries)), noise};
  for (const Sweep& sweep : sweeps_) {
    const double self_error = sweep.self_error(choice.order_index, choice.log2_step);
    if (self_error < kHopeless)
      scales.noise = std::max(scales.noise, self_error * scale_.convert_to<double>());
  }
  return scales;
}

std::vector<OpenEntry> EscalationPass::settled_together(const std::vector<std::int64_t>& places,
                                                        const StepChoice& choice) {
  if (places.empty()) return {};
  const Values<Entry> entries = differenced(places, choice);
  scale_ = std::max(scale_, scale_of(entries));
  const ErrorScales scales = error_scales_for(entries, choice);
  std::vector<OpenEntry> left;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const ErrorScales of_entry =
        unmoved_.alone
            ? error_scales_of_element(scales, entries[k], noise_of(places[k], choice.log2_step))
            : scales;
    if (!settled_one(places[k], entries[k], of_entry, choice))
      left.push_back({places[k], entries[k], why_open(places[k], entries[k], of_entry)});
  }
  if (is_last(arithmetic_)) doubt_kinks(left, choice);
  return left;
}

/// Keeps the reason "kink" only where the jump stays the same at two finer steps.
void EscalationPass::doubt_kinks(std::vector<OpenEntry>& left, const StepChoice& choice) {
  std::vector<std::int64_t> places;
  for (const OpenEntry& of : left)
    if (of.reason == "kink") places.push_back(of.place);
  if (places.empty()) return;
  const auto step = [&](int k) { return std::max(precision_.finest, choice.log2_step - 2 * k); };
  const Values<Entry> finer = differenced(places, {choice.order_index, step(1)});
  const Values<Entry> finest = differenced(places, {choice.order_index, step(2)});
  std::size_t k = 0;
  for (OpenEntry& of : left) {
    if (of.reason != "kink") continue;
    std::array<double, 3> noise{};
    for (int at = 0; at < 3; ++at)
      noise[static_cast<std::size_t>(at)] = noise_of(of.place, step(at));
    if (!steady({of.entry, finer[k], finest[k]}, noise)) of.reason = "cancellation";
    ++k;
  }
}

/// The reason of an open entry; "cancellation" where 50 digits cannot hold number + largest step.
std::string EscalationPass::why_open(std::int64_t place, const Entry& entry,
                                     const ErrorScales& scales) {
  const double largest = std::ldexp(1, Sweep::kCoarsest + unmoved_.log2_scale);
  if (isfinite(entry.claimed) && !losses_.moves(tensor_, place, largest)) return "cancellation";
  return reason_of(entry, scales, aim_);
}

bool EscalationPass::settled_one(std::int64_t place, const Entry& entry, const ErrorScales& scales,
                                 const StepChoice& choice) {
  EntryJudgement judgement = judged(place, entry, scales, choice);
  const bool undefined = !isfinite(entry.claimed) && is_last(arithmetic_);
  if (undefined && defined_slope(entry)) judgement.verdict = EntryVerdict::wrong;
  if (judgement.verdict == EntryVerdict::wrong && entry.unchanged && isfinite(entry.claimed) &&
      !reproduced(place, entry.claimed))
    judgement = {EntryVerdict::zero, 0, 0};  // the claim is the rounding of 0
  if (judgement.verdict == EntryVerdict::unresolved) return false;
  // Roundings that scale with the step make two differences agree on a wrong number. Therefore
  // no entry is wrong before two arithmetics say so.
  if (judgement.verdict == EntryVerdict::wrong && !confirming_ && !is_last(arithmetic_))
    return false;
  if (judgement.verdict == EntryVerdict::zero && saturated(place, entry))
    tally_.count_inconclusive(entry.index, "saturation");
  else
    tally_.count(entry, judgement);
  return true;
}

void EscalationPass::leave(std::int64_t place, const Entry& entry, const std::string& reason) {
  if (is_last(arithmetic_))
    tally_.count_inconclusive(entry.index, reason);
  else
    open_.push_back(place);
}

bool EscalationPass::reproduced(std::int64_t place, const Real& claimed) {
  PerturbedLoss& coarser = cache_.at(AuditArithmetic::double_double, unit_);
  const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
  return is_reproduced(before, claimed);
}

}  // namespace gradproof
