// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/unit_audit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "oracles/differences/escalation_pass.h"

namespace gradproof {
namespace {

using Places = std::vector<std::int64_t>;

/// The first pass, in TensorTask::arithmetic: counts what is certified and keeps the rest.
class FirstPass {
 public:
  FirstPass(const TensorTask& task, LossCache& cache, std::int64_t unit, EntryTally& tally)
      : task_(task),
        selection_(task.steps.at(task.arithmetic)),
        unit_(cache, task.tensor, task.arithmetic, unit),
        tally_(tally) {}

  void judge_all(const Places& asked) {
    if (unit_.count() == 0 || (asked.empty() && judged_in_double())) return;
    if (task_.allows(unit_)) return judge_in_full(asked);
    open = asked.empty() ? Places(static_cast<std::size_t>(unit_.count())) : asked;
    if (asked.empty()) std::iota(open.begin(), open.end(), 0);
  }

  Places open;
  Places suspect;  ///< wrong, in this arithmetic
  Real scale{0};   ///< ErrorScales::scale of the unit

 private:
  /// Counts an entry that is certified, or zero with a claim of exactly 0.
  void judge_one(const Entry& entry, std::int64_t place, const ErrorScales& scales) {
    const EntryJudgement judgement = judge(entry, scales, task_.aim, unit_.precision());
    if (judgement.verdict == EntryVerdict::certified ||
        (judgement.verdict == EntryVerdict::zero && entry.claimed == 0))
      tally_.count(entry, judgement);
    else
      (judgement.verdict == EntryVerdict::wrong ? suspect : open).push_back(place);
  }

  void judge_in_full(const Places& asked) {
    const int step = selection_.choice.log2_step;
    const Values<Entry> entries = unit_pass(unit_, selection_.choice, selection_.method, asked);
    scale = scale_of(entries);
    const ErrorScales scales = error_scales_of(entries, scale, unit_.typical_gradient(),
                                               unit_.noise(step), selection_.self_error);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const std::int64_t place = asked.empty() ? static_cast<std::int64_t>(k) : asked[k];
      const double own = unit_.noise_of(step, place, scale.convert_to<double>());
      judge_one(entries[k], place,
                unit_.alone() ? error_scales_of_element(scales, entries[k], own) : scales);
    }
  }

  /// Judges in doubles, and in Real the entries that doubles do not certify. False: the unit is out
  /// of the range of doubles, and nothing has been judged.
  bool judged_in_double() {
    const int step = selection_.choice.log2_step;
    const auto quick = QuickPass::of(unit_, selection_.choice, selection_.method);
    if (!quick || !task_.allows(unit_)) return false;
    const Values<EntryOf<double>>& entries = quick->entries();
    const ErrorScalesOf<double> common =
        error_scales_of(entries, quick->scale(), 0, unit_.noise(step), selection_.self_error);
    std::vector<double> own(entries.size(), 0);
    for (std::size_t k = 0; unit_.alone() && k < own.size(); ++k) {
      const auto place = static_cast<std::int64_t>(k);
      if (!unit_.has_magnitude(place)) return false;
      own[k] = unit_.noise_of(step, place, 0);
    }
    scale = quick->scale();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      ErrorScalesOf<double> plain = common;
      plain.noise = std::max(common.noise, own[k]);
      const EntryJudgement judgement =
          judge_by_size(entries[k], plain, task_.aim, unit_.precision());
      if (judgement.verdict == EntryVerdict::certified) {
        tally_.count(entries[k], judgement);
        continue;
      }
      const Entry entry = quick->in_full(k);
      const ErrorScales scales{scale, unit_.typical_gradient(), common.noise, common.rounding};
      judge_one(entry, static_cast<std::int64_t>(k),
                unit_.alone() ? error_scales_of_element(scales, entry, own[k]) : scales);
    }
    return true;
  }

  const TensorTask& task_;
  const StepSelection& selection_;
  UnitAtRest unit_;
  EntryTally& tally_;
};

}  // namespace

const StepSelection& SelectedSteps::at(AuditArithmetic arithmetic) {
  const std::lock_guard lock(mutex_);
  std::optional<StepSelection>& selection = selections_[static_cast<std::size_t>(arithmetic)];
  if (!selection) {
    LossCache losses(target_);
    selection = select_step(losses, tensor_, arithmetic, aim_);
  }
  return *selection;
}

void audit_unit(const TensorTask& task, LossCache& cache, const SampledEntries& entries,
                EntryTally& tally) {
  FirstPass first(task, cache, entries.unit, tally);
  first.judge_all(entries.places);
  tally.count_escalated(std::ssize(first.open) + std::ssize(first.suspect));
  for (const bool confirming : {false, true}) {
    Places left = confirming ? first.suspect : first.open;
    Real scale = first.scale;
    AuditArithmetic arithmetic = task.arithmetic;
    while (!left.empty() && !is_last(arithmetic)) {
      arithmetic = next_after(arithmetic);
      EscalationPass pass(task, UnitAtRest(cache, task.tensor, arithmetic, entries.unit), scale,
                          confirming, tally);
      left = pass.settle(left);
      scale = pass.scale();
    }
  }
}

}  // namespace gradproof
