// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <set>

#include "core/parallel.h"
#include "oracles/differences/escalation.h"
#include "oracles/differences/quick_sum.h"
#include "oracles/differences/sums.h"
#include "oracles/differences/tensor_audit.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {
namespace {

/// At most this many open entries are moved directly in the next arithmetic. More are moved by the
/// method that the sample has compared with direct moves.
constexpr std::int64_t kMovedDirectly = 64;

class SummedAudit {
 public:
  explicit SummedAudit(const TensorTask& task) : task_(task), runs_(runs_of(task.target)) {}

  EntryTally run(StepSelection selection);

 private:
  bool reaches_all() const { return task_.target.tensors()[task_.tensor].reach == Reach::all; }
  EntrySums summed(const StepSelection& selection, AuditArithmetic arithmetic) const;
  EntrySums summed(const StepSelection& selection, AuditArithmetic arithmetic,
                   const UnitRun& run) const;
  std::vector<std::int64_t> wanted_of(const PerturbedLoss& losses) const;
  void ask_irregular(PerturbedLoss& losses, const std::vector<std::int64_t>& places,
                     const Precision& precision, Sum& sum) const;
  void judge_all(const EntrySums& sums, const StepSelection& selection, AuditArithmetic arithmetic);
  double typical_gradient_of(std::int64_t block, AuditArithmetic arithmetic) const;
  Real rounding_of(std::int64_t entry, AuditArithmetic arithmetic, const StepChoice& choice) const;
  Values<Entry> count_certified_in_double(const Sum& sum, const ErrorScales& scales,
                                          const Precision& precision);
  void judge_one(const Entry& entry, const Sum& sum, ErrorScales scales, AuditArithmetic arithmetic,
                 const StepChoice& choice);
  void leave(const Entry& entry, const Sum& sum, const ErrorScales& scales,
             AuditArithmetic arithmetic);
  bool wants(std::int64_t index) const;
  bool asks_all() const { return !again_ && task_.entries == 0; }

  TensorTask task_;
  std::vector<UnitRun> runs_;
  std::map<std::int64_t, Real> scales_;  ///< by block
  bool again_ = false;
  std::set<std::int64_t> open_;          ///< entries for the next arithmetic
  std::set<std::int64_t> suspects_;      ///< entries that one arithmetic has called wrong
  std::map<std::int64_t, Real> claims_;  ///< of open entries, in the last arithmetic asked
  std::set<std::int64_t> blocks_;
  EntryTally tally_;
};

/// Whether the entry belongs to the pass; a sample is spread evenly over the tensor.
bool SummedAudit::wants(std::int64_t index) const {
  if (again_) return open_.contains(index);
  const std::int64_t all = numel(task_.target.tensors()[task_.tensor].shape);
  if (task_.entries == 0 || task_.entries >= all) return true;
  return (index + 1) * task_.entries / all > index * task_.entries / all;
}

std::vector<std::int64_t> SummedAudit::wanted_of(const PerturbedLoss& losses) const {
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; place < losses.count(task_.tensor); ++place)
    if (wants(losses.entry(task_.tensor, place))) places.push_back(place);
  return places;
}

/// Records where a stage reports a kink or a domain edge within the finest step, in any unit.
void SummedAudit::ask_irregular(PerturbedLoss& losses, const std::vector<std::int64_t>& places,
                                const Precision& precision, Sum& sum) const {
  if (!again_) return;
  const double move = std::ldexp(1, precision.finest + losses.log2_scale(task_.tensor));
  for (const std::int64_t place : places) {
    const std::string why = losses.irregular(task_.tensor, place, move);
    if (!why.empty())
      sum.irregular.emplace(losses.entry(task_.tensor, place),
                            why.starts_with("domain") ? "domain" : "kink");
  }
}

EntrySums SummedAudit::summed(const StepSelection& selection, AuditArithmetic arithmetic,
                              const UnitRun& run) const {
  EntrySums sums;
  LossCache cache(task_.target);
  const Precision precision = precision_of(arithmetic);
  for (std::int64_t block = run.first_block; block < run.last_block; ++block) {
    if (again_ && !reaches_all() && !blocks_.contains(block)) continue;
    Sum& sum = sums[reaches_all() ? 0 : block];
    QuickSum quick_sum;
    for (const std::int64_t unit : run.units(task_.target, block)) {
      PerturbedLoss& losses = cache.at(arithmetic, unit);
      const auto places = asks_all() ? std::vector<std::int64_t>() : wanted_of(losses);
      if (!asks_all() && places.empty()) continue;
      ask_irregular(losses, places, precision, sum);
      const int log2_scale = losses.log2_scale(task_.tensor);
      sum.add_noise(losses.magnitude(), log2_scale, precision, selection.choice);
      if (!asks_all()) sum.typical_gradient += std::ldexp(losses.typical_change(), -log2_scale);
      const auto quick = places.empty()
                             ? quick_pass(losses, task_.tensor, selection.choice, selection.method)
                             : std::nullopt;
      if (quick) {
        quick_sum.add(*quick, losses, task_.tensor);
        continue;
      }
      const Unmoved unmoved = unmoved_of(losses, task_.tensor, task_.target);
      sum.add(unit_pass(losses, task_.tensor, unmoved, selection.choice, selection.method, places));
    }
    if (!quick_sum.empty()) sum.add(quick_sum.entries());
  }
  return sums;
}

EntrySums SummedAudit::summed(const StepSelection& selection, AuditArithmetic arithmetic) const {
  std::vector<EntrySums> parts(runs_.size());
  for_each_index(std::ssize(runs_), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    parts[at] = summed(selection, arithmetic, runs_[at]);
  });
  EntrySums all;
  for (const EntrySums& part : parts)
    for (const auto& [block, sum] : part) all[block].merge(sum);
  return all;
}

void SummedAudit::leave(const Entry& entry, const Sum& sum, const ErrorScales& scales,
                        AuditArithmetic arithmetic) {
  if (!is_last(arithmetic)) {
    open_.insert(entry.index);
    claims_[entry.index] = entry.claimed;
    if (!reaches_all()) blocks_.insert(task_.target.block_of(task_.tensor, entry.index));
    return;
  }
  if (sum.finite && !isfinite(entry.claimed) && defined_slope(entry))
    tally_.count(entry, {EntryVerdict::wrong, 1, 0});
  else
    tally_.count_inconclusive(entry.index,
                              sum.finite ? reason_of(entry, scales, task_.aim) : kRange);
}

/// The sum of the typical gradients of the block's units; slow, and few verdicts need it.
double SummedAudit::typical_gradient_of(std::int64_t block, AuditArithmetic arithmetic) const {
  double typical_gradient = 0;
  for_each_unit(task_.target, task_.tensor, arithmetic, block, [&](PerturbedLoss& losses) {
    typical_gradient += std::ldexp(losses.typical_change(), -losses.log2_scale(task_.tensor));
  });
  return typical_gradient;
}

/// PerturbedLoss::rounding summed over the units of an entry, and the rounding of these sums.
Real SummedAudit::rounding_of(std::int64_t entry, AuditArithmetic arithmetic,
                              const StepChoice& choice) const {
  Real rounding(0), sizes(0), units(0);
  const std::int64_t block = task_.target.block_of(task_.tensor, entry);
  for_each_unit(task_.target, task_.tensor, arithmetic, block, [&](PerturbedLoss& losses) {
    const int log2_h = choice.log2_step + losses.log2_scale(task_.tensor);
    for (std::int64_t place = 0; place < losses.count(task_.tensor); ++place)
      if (losses.entry(task_.tensor, place) == entry) {
        rounding += losses.rounding(task_.tensor, place, choice.order_index, log2_h);
        sizes += 2 * abs(losses.claimed(task_.tensor)[static_cast<std::size_t>(place)]);
        ++units;
      }
  });
  return rounding + sizes * (units * kRealUnit);
}

/// Counts the entries that certify_in_double() certifies and returns the others.
Values<Entry> SummedAudit::count_certified_in_double(const Sum& sum, const ErrorScales& scales,
                                                     const Precision& precision) {
  const ErrorScalesInDouble plain{scales.scale.convert_to<double>(), scales.noise,
                                  task_.aim.tolerance(), precision.nothing > 0};
  Values<Entry> others;
  for (const Entry& entry : sum.entries) {
    const auto judgement = certify_in_double(entry, plain);
    if (judgement && !sum.irregular.contains(entry.index))
      tally_.count(entry, *judgement);
    else
      others.push_back(entry);
  }
  return others;
}

void SummedAudit::judge_all(const EntrySums& sums, const StepSelection& selection,
                            AuditArithmetic arithmetic) {
  open_.clear();
  blocks_.clear();
  for (const auto& [block, sum] : sums) {
    Real& scale = scales_[block];
    scale = std::max(scale, scale_of(sum.entries));
    ErrorScales scales =
        error_scales_of(sum.entries, scale, sum.typical_gradient, sum.noise, selection);
    const Values<Entry> others = count_certified_in_double(sum, scales, precision_of(arithmetic));
    if (!others.empty() && asks_all())
      scales.typical_gradient = typical_gradient_of(block, arithmetic);
    for (const Entry& entry : others) judge_one(entry, sum, scales, arithmetic, selection.choice);
  }
}

void SummedAudit::judge_one(const Entry& entry, const Sum& sum, ErrorScales scales,
                            AuditArithmetic arithmetic, const StepChoice& choice) {
  EntryJudgement judgement = judge(entry, scales, task_.aim, precision_of(arithmetic));
  if (judgement.verdict == EntryVerdict::wrong && arithmetic != AuditArithmetic::double_double) {
    scales.permitted = rounding_of(entry.index, arithmetic, choice);
    judgement = judge(entry, scales, task_.aim, precision_of(arithmetic));
  }
  const auto before = claims_.find(entry.index);
  if (judgement.verdict == EntryVerdict::wrong && entry.unchanged && before != claims_.end() &&
      isfinite(entry.claimed) && !is_reproduced(before->second, entry.claimed))
    judgement = {EntryVerdict::zero, 0, 0};  // the claim is the rounding of 0
  if (const auto irregular = sum.irregular.find(entry.index); irregular != sum.irregular.end())
    tally_.count_inconclusive(entry.index, irregular->second);
  else if (judgement.verdict == EntryVerdict::unresolved ||
           (judgement.verdict == EntryVerdict::wrong && !is_last(arithmetic) &&
            suspects_.insert(entry.index).second))
    leave(entry, sum, scales, arithmetic);  // the next arithmetic must confirm a wrong entry
  else
    tally_.count(entry, judgement);
}

EntryTally SummedAudit::run(StepSelection selection) {
  AuditArithmetic arithmetic = task_.arithmetic;
  tally_.remark_method(selection.remark);
  for (const bool caught = !selection.remark.empty();;) {
    judge_all(summed(selection, arithmetic), selection, arithmetic);
    if (open_.empty() || is_last(arithmetic)) return tally_;
    if (!again_) tally_.count_escalated(std::ssize(open_));
    again_ = true;
    arithmetic = next_after(arithmetic);
    LossCache cache(task_.target);
    selection = select_step(cache, task_.tensor, arithmetic, task_.aim);
    if (caught || std::ssize(open_) <= kMovedDirectly) selection.method = Method::direct;
  }
}

}  // namespace

EntryTally audit_by_sum(const TensorTask& task, const StepSelection& selection) {
  return SummedAudit(task).run(selection);
}

}  // namespace gradproof
