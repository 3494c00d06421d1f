// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/step_selection.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "oracles/differences/steps/sampled_entries.h"
#include "oracles/differences/steps/sweep.h"

namespace gradproof {
namespace {

using namespace step_rules;  // NOLINT(google-build-using-namespace): the table of this file

using SweepPointers = std::vector<const Sweep*>;

struct Found {
  StepChoice choice;
  double estimate = std::numeric_limits<double>::infinity();
};

/// The step of an order at which the worst estimate over the sweeps is smallest, the coarsest of
/// equal ones; with `smooth` given, no step counts at which a sweep is kinked by this tolerance.
Found best_of(const SweepPointers& sweeps, int order_index, std::optional<double> smooth) {
  Found best;
  int last = sweeps.front()->last();
  for (const Sweep* sweep : sweeps) last = std::max(last, sweep->last());
  for (int step = Sweep::first(order_index); step >= last; --step) {
    const StepChoice choice{order_index, step};
    double worst = 0;
    for (const Sweep* sweep : sweeps) {
      worst = std::max(worst, sweep->estimate(choice));
      if (worst >= best.estimate) break;
    }
    if (worst < best.estimate &&
        (!smooth || std::none_of(sweeps.begin(), sweeps.end(), [&](const Sweep* sweep) {
          return kinked(sweep->entry(choice), sweep->error_scales(step), *smooth);
        })))
      best = {choice, worst};
  }
  return best;
}

/// The best step of all orders; of equal ones that of the lower order. If an order has an estimate
/// of `enough`, higher orders are not tried.
Found best_of(const SweepPointers& sweeps, double enough, std::optional<double> smooth = {}) {
  Found best;
  for (int order_index = 0; order_index < kOrders && best.estimate > enough; ++order_index) {
    const Found found = best_of(sweeps, order_index, smooth);
    if (found.estimate < best.estimate) best = found;
  }
  return best;
}

/// Chooses order and step without looking at the claim: the lowest order whose estimate, at its
/// best step, is at most 10^-(digits + 1/2) of the scale in all sweeps; else the smallest estimate.
/// Sweeps whose differences agree nowhere (kinks, domains) are left out; nullopt if all are.
std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, double tolerance) {
  SweepPointers agreeing;
  for (const Sweep& sweep : sweeps)
    if (best_of({&sweep}, 0.0).estimate < kHopeless) agreeing.push_back(&sweep);
  if (agreeing.empty()) return std::nullopt;
  const double enough = tolerance * kSpare;
  const StepChoice best = best_of(agreeing, enough).choice;
  const auto is_kinked = [&](const Sweep* sweep) {
    return kinked(sweep->entry(best), sweep->error_scales(best.log2_step), tolerance);
  };
  if (std::none_of(agreeing.begin(), agreeing.end(), is_kinked)) return best;
  // If the odd part of L is linear, differences agree at steps at which its even part bends.
  const Found smooth = best_of(agreeing, enough, tolerance);
  return smooth.estimate < kHopeless ? smooth.choice : best;
}

/// The worst |D(h) - D(2h)| of the sweeps at the choice, over the scale, without those above
/// kHopeless.
double worst_self_error(const std::vector<Sweep>& sweeps, const StepChoice& choice) {
  double worst = 0;
  for (const Sweep& sweep : sweeps) {
    const double self_error = sweep.self_error(choice);
    if (self_error < kHopeless) worst = std::max(worst, self_error);
  }
  return worst;
}

/// The sampled numbers of one unit; their sweeps are sweeps_[first], ...
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

class SampledSweeps {
 public:
  SampledSweeps(LossCache& cache, AuditArithmetic arithmetic, bool direct)
      : cache_(cache), arithmetic_(arithmetic), direct_(direct) {
    for (const SampledEntries& of : strata(cache, arithmetic, kSample)) sweep_unit(of);
  }

  const std::vector<Sweep>& sweeps() const { return sweeps_; }
  Method quickest() const { return units_.front().unit.losses().quickest(cache_.tensor()); }

  /// The index of a sampled entry whose difference by the method, or in its sweep, is not that of
  /// direct moves; empty if there is none.
  std::string objection(const StepChoice& choice, Method method) const {
    for (const Sampled& of : units_) {
      const Values<Entry> direct = unit_pass(of.unit, choice, Method::direct, of.places);
      const Values<Entry> other = by_method(of.unit, choice, method, of.places);
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
    const UnitAtRest at_rest(cache_, arithmetic_, of.unit);
    if (!at_rest.finite()) return;
    units_.push_back({at_rest, of.places, sweeps_.size()});
    const UnitAtRest& unit = units_.back().unit;
    const Method method = direct_ ? Method::direct : sweeping(unit.losses());
    for (const std::int64_t place : of.places) sweeps_.emplace_back(unit, place, method);
    give_one_scale(sweeps_, units_.back().first);
  }

  /// The method of the sweeps. In long units direct moves at every step cost too much; there they
  /// are compared at the chosen step only.
  Method sweeping(const PerturbedLoss& losses) const {
    const Method quickest = losses.quickest(cache_.tensor());
    const bool surface = quickest == Method::statistics;
    return surface && cache_.target().unit_size() < kLongUnit ? Method::direct : quickest;
  }

  /// packed_pass() has D(h) - claimed rounded to a double: this much of D(h) is lost where the
  /// claim is wrong.
  static Extended lost_beside(const Entry& entry) { return std::ldexp(std::abs(entry.error), -52); }

  /// True if two differences for one claim are not those of one L: methods round differently, and
  /// their D(h) may lie as far apart as D(h) and a claim. They are compared by D(h) - claimed or by
  /// D(h), the smaller of which is rounded less; `lost` is permitted in addition.
  static bool apart(const Entry& a, const Entry& b, const ErrorScales& scales, Extended lost = 0) {
    if (!std::isfinite(a.fine) || !std::isfinite(a.self_error)) return false;  // nothing to compare
    const bool by_error = std::abs(a.error) <= std::abs(a.fine);
    const Extended gap = std::abs(by_error ? a.error - b.error : a.fine - b.fine);
    const Extended self_error = std::max(std::abs(a.self_error), std::abs(b.self_error));
    lost += std::ldexp(std::abs(by_error ? a.error : a.fine), -62);
    return !(gap <= far_from(self_error + scales.noise) + lost);
  }

  std::string index_of(const Entry& entry) const {
    return index_text(cache_.target().tensors()[cache_.tensor()].shape, entry.index);
  }

  LossCache& cache_;
  AuditArithmetic arithmetic_;
  bool direct_;
  std::deque<Sampled> units_;  ///< the sweeps refer to its elements
  std::vector<Sweep> sweeps_;
};

}  // namespace

StepSelection select_step(LossCache& losses, AuditArithmetic arithmetic, double tolerance,
                          bool direct) {
  StepSelection selection;
  selection.only_direct = direct;
  const SampledSweeps sample(losses, arithmetic, direct);
  selection.choice.log2_step = middle_step(precision_of(arithmetic));
  if (sample.sweeps().empty()) return selection;
  if (const auto choice = chosen(sample.sweeps(), tolerance)) selection.choice = *choice;
  selection.self_error = worst_self_error(sample.sweeps(), selection.choice);
  selection.sweep = drawn(sample.sweeps());
  if (direct) return selection;
  selection.method = sample.quickest();
  if (selection.method == Method::direct) return selection;
  const std::string where = sample.objection(selection.choice, selection.method);
  if (where.empty()) return selection;
  // The sweeps may have used the method as well; they are repeated with direct moves.
  StepSelection again = select_step(losses, arithmetic, tolerance, true);
  again.remark = fmt::format("direct ({} disagrees at {})", name_of(selection.method), where);
  return again;
}

}  // namespace gradproof
