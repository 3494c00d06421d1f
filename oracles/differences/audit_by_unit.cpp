// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "oracles/differences/escalation.h"
#include "oracles/differences/tensor_audit.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {
namespace {

std::vector<std::int64_t> all_places(std::int64_t count) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// Audits one unit of a tensor in TensorTask::arithmetic, then escalates the entries left open.
class UnitAudit {
 public:
  UnitAudit(LossCache& cache, const TensorTask& task, const StepSelection& selection,
            std::int64_t unit, EntryTally& tally)
      : cache_(cache),
        task_(task),
        selection_(selection),
        tally_(tally),
        precision_(precision_of(task.arithmetic)),
        losses_(cache.at(task.arithmetic, unit)),
        alone_(task.target.tensors()[task.tensor].reach == Reach::itself),
        open_{{unit, {}}, Real(0), task.arithmetic} {}

  void settle(const std::vector<std::int64_t>& asked) {
    if (asked.empty() && settle_in_double()) return;
    settle_all(asked);
  }

 private:
  bool settle_in_double();
  void settle_all(const std::vector<std::int64_t>& asked);
  std::vector<double> noises_of_elements(int log2_scale, std::size_t count);
  /// Counts an entry that is certified, or zero with a claim of exactly 0; else leaves it to the
  /// next arithmetic.
  void judge_one(const Entry& entry, std::int64_t place, const ErrorScales& scales);
  void escalate_left();

  LossCache& cache_;
  const TensorTask& task_;
  const StepSelection& selection_;
  EntryTally& tally_;
  Precision precision_;
  PerturbedLoss& losses_;
  bool alone_;
  UnresolvedEntries open_;
  std::vector<std::int64_t> suspect_;
};

void UnitAudit::judge_one(const Entry& entry, std::int64_t place, const ErrorScales& scales) {
  const EntryJudgement judgement = judge(entry, scales, task_.aim, precision_);
  if (judgement.verdict == EntryVerdict::certified ||
      (judgement.verdict == EntryVerdict::zero && entry.claimed == 0))
    tally_.count(entry, judgement);
  else
    (judgement.verdict == EntryVerdict::wrong ? suspect_ : open_.places.places).push_back(place);
}

void UnitAudit::escalate_left() {
  UnresolvedEntries suspect = open_;
  suspect.places.places = suspect_;
  suspect.confirming = true;
  // A method that disagreed with direct moves on the sample is not used again.
  Aim aim = task_.aim;
  aim.direct = aim.direct || !selection_.remark.empty();
  for (const UnresolvedEntries& left : {open_, suspect})
    if (!left.places.places.empty()) escalate(cache_, task_.tensor, left, aim, tally_);
}

/// One rounding of each number's own element over the step, by place; 0 unless Reach::itself.
std::vector<double> UnitAudit::noises_of_elements(int log2_scale, std::size_t count) {
  std::vector<double> noises(count, 0);
  if (!alone_) return noises;
  const double of_one = std::ldexp(precision_.unit, -log2_scale - selection_.choice.log2_step);
  for (std::size_t k = 0; k < count; ++k)
    noises[k] = of_one * losses_.magnitude_of(static_cast<std::int64_t>(k));
  return noises;
}

/// Judges in doubles, and by judge() the entries that doubles do not certify. False: the unit is
/// out of range of doubles, and nothing has been judged.
bool UnitAudit::settle_in_double() {
  const auto found = quick_pass(losses_, task_.tensor, selection_.choice, selection_.method);
  const double scale = found ? scale_of(*found) : 0;
  if (!(scale > 0) || (!alone_ && !std::isfinite(losses_.magnitude()))) return false;
  const int log2_scale = losses_.log2_scale(task_.tensor);
  const int log2_h = log2_scale + selection_.choice.log2_step;
  const std::vector<double> noise_of_element = noises_of_elements(log2_scale, found->size());
  if (!all_finite(noise_of_element)) return false;
  const double rounding = alone_ ? 0 : precision_.unit * std::ldexp(losses_.magnitude(), -log2_h);
  const double noise =
      std::max({rounding, selection_.self_error * scale, typical(found->self_error)});
  ErrorScalesInDouble plain{scale, noise, task_.aim.tolerance(), precision_.nothing > 0};
  open_.scale = scale;
  for (std::size_t k = 0; k < found->size(); ++k) {
    const auto place = static_cast<std::int64_t>(k);
    plain.noise = std::max(noise, noise_of_element[k]);
    const double fine = found->fine(k);
    const auto judgement =
        certify_in_double(fine, found->error[k], found->self_error[k], found->jump[k], plain);
    const std::int64_t index = losses_.entry(task_.tensor, place);
    if (judgement) {
      tally_.count(index, fine, found->claimed[k].hi, *judgement);
      continue;
    }
    const Entry entry = entry_of(*found, k, index);
    const ErrorScales scales{open_.scale, std::ldexp(losses_.typical_change(), -log2_scale), noise,
                             rounding};
    judge_one(entry, place,
              alone_ ? error_scales_of_element(scales, entry, noise_of_element[k]) : scales);
  }
  escalate_left();
  return true;
}

void UnitAudit::settle_all(const std::vector<std::int64_t>& asked) {
  const Unmoved unmoved = unmoved_of(losses_, task_.tensor, task_.target);
  if (unmoved.claimed.empty()) return;
  if (!unmoved.finite()) {
    open_.places.places = asked.empty() ? all_places(losses_.count(task_.tensor)) : asked;
    return escalate_left();
  }
  const int step = selection_.choice.log2_step;
  const Values<Entry> entries =
      unit_pass(losses_, task_.tensor, unmoved, selection_.choice, selection_.method, asked);
  open_.scale = scale_of(entries);
  const double noise = alone_ ? 0 : unmoved.noise(precision_, step);
  const ErrorScales scales =
      error_scales_of(entries, open_.scale, unmoved.typical_gradient(), noise, selection_);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::int64_t place = asked.empty() ? static_cast<std::int64_t>(k) : asked[k];
    const double noise_of_entry =
        unmoved.noise_of(precision_, step, place, scales.scale.convert_to<double>());
    judge_one(entries[k], place,
              alone_ ? error_scales_of_element(scales, entries[k], noise_of_entry) : scales);
  }
  escalate_left();
}

EntryTally merged(const std::vector<EntryTally>& parts, const StepSelection& selection) {
  EntryTally all;
  all.remark_method(selection.remark);
  for (const EntryTally& part : parts) all.merge(part);
  return all;
}

}  // namespace

EntryTally audit_by_unit(const TensorTask& task, const StepSelection& selection) {
  const AuditTarget& target = task.target;
  if (task.entries > 0) {
    LossCache cache(target);
    const std::vector<SampledEntries> sample =
        strata(cache, task.tensor, task.arithmetic, task.entries);
    std::vector<EntryTally> tallies(sample.size());
    for_each_index(std::ssize(sample), [&](std::int64_t k) {
      LossCache own_cache(target);
      const auto at = static_cast<std::size_t>(k);
      UnitAudit(own_cache, task, selection, sample[at].unit, tallies[at]).settle(sample[at].places);
    });
    return merged(tallies, selection);
  }
  const std::vector<UnitRun> runs = runs_of(target);
  std::vector<EntryTally> tallies(runs.size());
  for_each_index(std::ssize(runs), [&](std::int64_t k) {
    LossCache cache(target);
    const UnitRun& run = runs[static_cast<std::size_t>(k)];
    for (std::int64_t block = run.first_block; block < run.last_block; ++block)
      for (const std::int64_t unit : run.units(target, block))
        UnitAudit(cache, task, selection, unit, tallies[static_cast<std::size_t>(k)]).settle({});
  });
  return merged(tallies, selection);
}

}  // namespace gradproof
