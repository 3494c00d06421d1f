// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/step_selection.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include <fmt/format.h>

#include "oracles/differences/steps/sampled_entries.h"

namespace gradproof {
namespace {

using namespace step_rules;  // NOLINT(google-build-using-namespace): the table of this file

/// The sampled numbers of one unit; sweeps_[first], ... are theirs.
struct Sampled {
  UnitAtRest unit;
  std::vector<std::int64_t> places;
  std::size_t first = 0;
};

void give_one_scale(std::vector<Sweep>& sweeps, std::size_t first) {
  Extended scale = 0;
  for (std::size_t k = first; k < sweeps.size(); ++k) scale = std::max(scale, sweeps[k].scale());
  for (std::size_t k = first; k < sweeps.size(); ++k) {
    const Extended typical_gradient = sweeps[k].typical_gradient();
    const bool vanishing = scale <= typical_gradient * kVanishing;
    sweeps[k].take_scale(!vanishing ? scale : typical_gradient > 0 ? typical_gradient : 1);
  }
}

class Sample {
 public:
  Sample(LossCache& cache, std::size_t tensor, AuditArithmetic arithmetic, const Aim& aim)
      : cache_(cache), tensor_(tensor), arithmetic_(arithmetic), aim_(aim) {
    for (const SampledEntries& of : strata(cache, tensor, arithmetic, kSample)) sweep_unit(of);
  }

  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  Method quickest() const { return units_.front().unit.losses().quickest(tensor_); }

  /// The index of a sampled entry whose difference by the method, or in its sweep, is not that of
  /// direct moves; empty where there is none.
  std::string objection(const StepChoice& choice, Method method) const {
    for (const Sampled& of : units_) {
      const Values<Entry> direct = unit_pass(of.unit, choice, Method::direct, of.places);
      const Values<Entry> other = by_method(of, choice, method);
      for (std::size_t k = 0; k < of.places.size(); ++k) {
        const Sweep& sweep = sweeps_[of.first + k];
        const ErrorScales scales = sweep.cautious_error_scales(choice);
        const Extended lost = lost_beside(other[k]);
        if (apart(direct[k], other[k], scales, lost) ||
            apart(direct[k], sweep.entry(choice), scales))
          return index_of(direct[k]);
        if (!(lost > scales.noise)) continue;
        const Values<Entry> one = unit_pass(of.unit, choice, method, {of.places[k]});
        if (apart(direct[k], one[0], scales)) return index_of(direct[k]);
      }
    }
    return "";
  }

 private:
  void sweep_unit(const SampledEntries& of) {
    const UnitAtRest at_rest(cache_, tensor_, arithmetic_, of.unit);
    if (!at_rest.finite()) return;
    units_.push_back({at_rest, of.places, sweeps_.size()});
    const UnitAtRest& unit = units_.back().unit;
    const Method method = aim_.direct ? Method::direct : sweeping(unit.losses());
    for (const std::int64_t place : of.places) sweeps_.emplace_back(unit, place, method);
    give_one_scale(sweeps_, units_.back().first);
  }

  /// The method of the sweeps. In long units direct moves at every step cost too much; there they
  /// are compared at the chosen step only.
  Method sweeping(const PerturbedLoss& losses) const {
    const Method quickest = losses.quickest(tensor_);
    const bool surface = quickest == Method::statistics;
    return surface && cache_.target().unit_size() < kLongUnit ? Method::direct : quickest;
  }

  /// The differences as the audit computes them: packed where these have a result.
  static Values<Entry> by_method(const Sampled& of, const StepChoice& choice, Method method) {
    const auto packed = packed_pass(of.unit, choice, method);
    const Values<Entry> all = packed ? *packed : unit_pass(of.unit, choice, method);
    Values<Entry> entries;
    for (const std::int64_t place : of.places)
      entries.push_back(all[static_cast<std::size_t>(place)]);
    return entries;
  }

  /// packed_pass() has D(h) - claimed rounded to a double: this much of D(h) is lost where the
  /// claim is wrong.
  static Extended lost_beside(const Entry& entry) { return std::ldexp(std::abs(entry.error), -52); }

  /// Whether two differences beside the same claim are not those of one L. They are compared by
  /// D(h) - claimed or by D(h), the smaller of which is rounded less; `lost`: beside that.
  static bool apart(const Entry& a, const Entry& b, const ErrorScales& scales, Extended lost = 0) {
    if (!std::isfinite(a.fine) || !std::isfinite(a.self_error)) return false;  // nothing to compare
    const bool by_error = std::abs(a.error) <= std::abs(a.fine);
    const Extended gap = std::abs(by_error ? a.error - b.error : a.fine - b.fine);
    const Extended self_error = std::max(std::abs(a.self_error), std::abs(b.self_error));
    lost += std::ldexp(std::abs(by_error ? a.error : a.fine), -62);
    return !(gap <= kApart * (self_error + scales.noise) + lost);
  }

  std::string index_of(const Entry& entry) const {
    return index_text(cache_.target().tensors()[tensor_].shape, entry.index);
  }

  LossCache& cache_;
  std::size_t tensor_;
  AuditArithmetic arithmetic_;
  const Aim& aim_;
  std::deque<Sampled> units_;  ///< the sweeps refer to its elements
  std::vector<Sweep> sweeps_;
};

}  // namespace

StepSelection select_step(LossCache& losses, std::size_t tensor, AuditArithmetic arithmetic,
                          const Aim& aim) {
  StepSelection selection;
  const Sample sample(losses, tensor, arithmetic, aim);
  selection.choice.log2_step = middle_step(precision_of(arithmetic));
  if (sample.sweeps().empty()) return selection;
  if (const auto choice = chosen(sample.sweeps(), aim)) selection.choice = *choice;
  selection.self_error = worst_self_error(sample.sweeps(), selection.choice);
  selection.sweep = drawn(sample.sweeps());
  if (aim.direct) return selection;
  selection.method = sample.quickest();
  if (selection.method == Method::direct) return selection;
  const std::string where = sample.objection(selection.choice, selection.method);
  if (where.empty()) return selection;
  // The sweeps may have used the method as well; they are repeated with direct moves.
  StepSelection again = select_step(losses, tensor, arithmetic, {aim.tolerance, true});
  again.remark = fmt::format("direct ({} disagrees at {})", name_of(selection.method), where);
  return again;
}

}  // namespace gradproof
