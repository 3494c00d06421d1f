// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/step_selection.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "oracles/differences/messages.h"
#include "oracles/differences/steps/curve.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSample = 32;
/// Elements of a unit from which on Method::statistics is used for the sweeps of a few numbers.
constexpr std::int64_t kLongUnit = 256;
/// Where the scale of a unit is at most this times the typical gradient, that gradient is the
/// scale.
constexpr double kVanishing = 1e-22;
/// Windows need at least this many units; a window has this many octaves on each side.
constexpr std::size_t kUnitsForWindows = 8;
constexpr int kWindow = 4;
/// Methods round differently: their differences may lie apart by this many estimated errors.
constexpr double kApart = 0x1p6;

/// The sampled numbers of one unit; sweeps_[first], ... are theirs.
struct Sampled {
  SampledEntries places;
  Unmoved unmoved;
  std::size_t first = 0;
};

void give_one_scale(std::vector<Sweep>& sweeps, std::size_t first) {
  Real scale(0);
  for (std::size_t k = first; k < sweeps.size(); ++k)
    scale = std::max(scale, sweeps[k].error_scales_without_noise().scale);
  for (std::size_t k = first; k < sweeps.size(); ++k) {
    const double typical_gradient = sweeps[k].error_scales_without_noise().typical_gradient;
    // The claim of a widened sweep is reproduced, and no rounding error.
    const bool widened = sweeps[k].coarsest() > Sweep::kCoarsest;
    const bool vanishing = !widened && scale <= Real(typical_gradient * kVanishing);
    sweeps[k].take_scale(vanishing ? Real(typical_gradient > 0 ? typical_gradient : 1) : scale);
  }
}

class Sample {
 public:
  /// `windows`: where every move evaluates a whole unit, each fourth unit is swept at all steps and
  /// the others only around the step that these choose.
  Sample(LossCache& cache, std::size_t tensor, AuditArithmetic arithmetic, const Aim& aim,
         bool windows)
      : cache_(cache), tensor_(tensor), arithmetic_(arithmetic), aim_(aim) {
    std::vector<SampledEntries> units = strata(cache, tensor, arithmetic, kSample);
    std::size_t full = units.size();
    if (windows && can_have_windows(units)) full = put_every_fourth_first(units);
    for (std::size_t k = 0; k < units.size(); ++k) {
      if (k == full) window_ = chosen(sweeps_, aim);
      sweep_unit(units[k]);
    }
    make_equally_wide();
  }

  /// Whether sweeps outside the window would change nothing: all sweeps reach the wanted digits at
  /// the chosen step, which has the order of the window and lies inside it.
  bool settled() const {
    if (!window_) return true;
    const auto choice = chosen(sweeps_, aim_);
    if (!choice || choice->order_index != window_->order_index) return false;
    if (std::abs(choice->log2_step - window_->log2_step) >= kWindow) return false;
    return std::all_of(sweeps_.begin(), sweeps_.end(),
                       [&](const Sweep& sweep) { return agrees(sweep, *choice, aim_); });
  }

  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  Method quickest() { return cache_.at(arithmetic_, units_.front().places.unit).quickest(tensor_); }

  /// The index of a sampled entry whose difference by the method, or in its sweep, is not that of
  /// direct moves; empty where there is none.
  std::string objection(const StepChoice& choice, Method method) {
    for (const Sampled& of : units_) {
      PerturbedLoss& losses = cache_.at(arithmetic_, of.places.unit);
      const std::vector<std::int64_t>& places = of.places.places;
      const Values<Entry> direct =
          unit_pass(losses, tensor_, of.unmoved, choice, Method::direct, places);
      const Values<Entry> other = by_method(losses, of, choice, method);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const Sweep& sweep = sweeps_[of.first + k];
        const ErrorScales scales =
            sweep.cautious_error_scales(choice.order_index, choice.log2_step);
        const Entry swept = sweep.entry(choice.order_index, choice.log2_step);
        const double lost = lost_beside(other[k]);
        if (apart(direct[k], other[k], scales, lost) || apart(direct[k], swept, scales))
          return index_of(direct[k]);
        if (!(lost > scales.noise)) continue;
        const Values<Entry> one =
            unit_pass(losses, tensor_, of.unmoved, choice, method, {places[k]});
        if (apart(direct[k], one[0], scales)) return index_of(direct[k]);
      }
    }
    return "";
  }

 private:
  bool can_have_windows(const std::vector<SampledEntries>& units) const {
    if (aim_.direct || arithmetic_ != AuditArithmetic::double_double) return false;
    if (units.size() < kUnitsForWindows) return false;
    return sweeping(cache_.at(arithmetic_, units.front().unit)) == Method::direct;
  }

  /// Returns how many units these are.
  static std::size_t put_every_fourth_first(std::vector<SampledEntries>& units) {
    std::vector<SampledEntries> ordered, others;
    for (std::size_t k = 0; k < units.size(); ++k)
      (k % 4 == 0 ? ordered : others).push_back(std::move(units[k]));
    const std::size_t count = ordered.size();
    std::move(others.begin(), others.end(), std::back_inserter(ordered));
    units = std::move(ordered);
    return count;
  }

  void sweep_unit(const SampledEntries& of) {
    PerturbedLoss& losses = cache_.at(arithmetic_, of.unit);
    Sampled sampled{of, unmoved_of(losses, tensor_, cache_.target()), sweeps_.size()};
    if (!sampled.unmoved.finite()) return;
    const Precision precision = precision_of(arithmetic_);
    Octaves octaves{precision.finest, Sweep::kCoarsest, precision.finest / 3};
    if (window_)
      octaves = {
          std::max(precision.finest, window_->log2_step - kWindow),
          std::min(Sweep::kCoarsest, window_->log2_step + kWindow + window_->order_index + 1),
          std::min(window_->log2_step, Sweep::first(1))};
    const Method method = aim_.direct ? Method::direct : sweeping(losses);
    for (const std::int64_t place : of.places) {
      sweeps_.emplace_back(losses, tensor_, place, sampled.unmoved, precision, method, octaves);
      // Entries that double-doubles leave open are asked again; wide moves are made only then.
      if (arithmetic_ != AuditArithmetic::double_double &&
          reproduced(of.unit, place, sampled.unmoved.claimed[static_cast<std::size_t>(place)]))
        widen(sweeps_.back(), losses, tensor_, place, aim_);
    }
    give_one_scale(sweeps_, sampled.first);
    units_.push_back(std::move(sampled));
  }

  /// The method of the sweeps. In long units direct moves at every step cost too much; there they
  /// are compared at the chosen step only.
  Method sweeping(const PerturbedLoss& losses) const {
    const Method quickest = losses.quickest(tensor_);
    const bool surface = quickest == Method::statistics;
    return surface && cache_.target().unit_size() < kLongUnit ? Method::direct : quickest;
  }

  /// The differences as the audit computes them: in doubles where quick_pass() has a result.
  Values<Entry> by_method(PerturbedLoss& losses, const Sampled& of, const StepChoice& choice,
                          Method method) {
    Values<Entry> entries;
    const auto quick = quick_pass(losses, tensor_, choice, method);
    const Values<Entry> all =
        quick ? Values<Entry>() : unit_pass(losses, tensor_, of.unmoved, choice, method);
    for (const std::int64_t place : of.places.places) {
      const auto at = static_cast<std::size_t>(place);
      entries.push_back(quick ? entry_of(*quick, at, losses.entry(tensor_, place)) : all[at]);
    }
    return entries;
  }

  /// Whether the claim is more than the rounding error of 0, for which no wider move helps.
  bool reproduced(std::int64_t unit, std::int64_t place, const Real& claimed) {
    PerturbedLoss& coarser = cache_.at(AuditArithmetic::double_double, unit);
    const Real before = coarser.claimed(tensor_)[static_cast<std::size_t>(place)];
    return is_reproduced(before, claimed);
  }

  void make_equally_wide() {
    int coarsest = Sweep::kCoarsest;
    for (const Sweep& sweep : sweeps_) coarsest = std::max(coarsest, sweep.coarsest());
    if (coarsest == Sweep::kCoarsest) return;
    for (const Sampled& of : units_)
      for (std::size_t k = 0; k < of.places.places.size(); ++k)
        sweeps_[of.first + k].widen(cache_.at(arithmetic_, of.places.unit), tensor_,
                                    of.places.places[k], coarsest);
  }

  /// quick_pass() stores D(h) - claimed rounded to a double: this much of D(h) is lost where the
  /// claim is wrong.
  static double lost_beside(const Entry& entry) {
    return std::ldexp(Real(abs(entry.fine - entry.claimed)).convert_to<double>(), -52);
  }

  static bool apart(const Entry& a, const Entry& b, const ErrorScales& scales, double lost = 0) {
    if (!isfinite(a.fine) || !isfinite(a.coarse)) return false;  // nothing to compare with
    const Real self_error = std::max(Real(abs(a.fine - a.coarse)), Real(abs(b.fine - b.coarse)));
    return !(abs(a.fine - b.fine) <= Real(kApart) * (self_error + Real(scales.noise)) + Real(lost));
  }

  std::string index_of(const Entry& entry) const {
    return index_text(cache_.target().tensors()[tensor_].shape, entry.index);
  }

  LossCache& cache_;
  std::size_t tensor_;
  AuditArithmetic arithmetic_;
  const Aim& aim_;
  std::optional<StepChoice> window_;  ///< by the units that are swept at all steps
  std::vector<Sampled> units_;
  std::vector<Sweep> sweeps_;
};

}  // namespace

ErrorScales error_scales_of(const Values<Entry>& entries, const Real& scale,
                            double typical_gradient, double noise, const StepSelection& selection) {
  const double of_sample = selection.self_error * scale.convert_to<double>();
  return {scale, typical_gradient, std::max({noise, of_sample, typical_estimate(entries)}), noise};
}

StepSelection select_step(LossCache& losses, std::size_t tensor, AuditArithmetic arithmetic,
                          const Aim& aim) {
  StepSelection selection;
  Sample quick(losses, tensor, arithmetic, aim, true);
  std::optional<Sample> full;
  if (!quick.settled()) full.emplace(losses, tensor, arithmetic, aim, false);
  Sample& sample = full ? *full : quick;
  selection.choice.log2_step = precision_of(arithmetic).finest / 3;
  if (sample.sweeps().empty()) return selection;
  if (const auto choice = chosen(sample.sweeps(), aim)) selection.choice = *choice;
  for (const Sweep& sweep : sample.sweeps()) {
    const double self_error =
        sweep.self_error(selection.choice.order_index, selection.choice.log2_step);
    if (self_error < kHopeless) selection.self_error = std::max(selection.self_error, self_error);
  }
  selection.sweep = drawn(sample.sweeps());
  selection.curve = shape_of(selection.sweep, selection.choice);
  if (aim.direct) return selection;
  selection.method = sample.quickest();
  if (selection.method == Method::direct) return selection;
  const std::string where = sample.objection(selection.choice, selection.method);
  if (where.empty()) return selection;
  // The sweeps may have used the method as well; they are repeated with direct moves.
  Aim without = aim;
  without.direct = true;
  StepSelection again = select_step(losses, tensor, arithmetic, without);
  again.remark = fmt::format("direct ({} disagrees at {})", name_of(selection.method), where);
  return again;
}

}  // namespace gradproof
