// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/step_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

using namespace step_rules;  // NOLINT(google-build-using-namespace): the table of this file

using SweepPointers = std::vector<const Sweep*>;

struct Found {
  StepChoice choice;
  double estimate = std::numeric_limits<double>::infinity();
};

/// Which differences a search may take, and when it ends.
struct Search {
  int coarsest = std::numeric_limits<int>::max();  ///< log2 of the widest move over the scale
  const Aim* smooth = nullptr;  ///< not null: none that is kinked in a sweep, by this aim
  double enough = 0;            ///< higher orders are not looked at when one is as good as this
};

bool kinked_at(const Sweep& sweep, const StepChoice& choice, const Aim& aim) {
  return kinked(sweep.entry(choice), sweep.error_scales(choice.log2_step), aim);
}

/// The step of an order at which the worst estimate over the sweeps is smallest; the coarsest of
/// equal ones.
Found best_of(const SweepPointers& sweeps, int order_index, const Search& search) {
  Found best;
  int top = Sweep::first(order_index);
  int last = sweeps.front()->last();
  for (const Sweep* sweep : sweeps) {
    top = std::max(top, sweep->top(order_index));
    last = std::max(last, sweep->last());
  }
  for (int step = std::min(top, search.coarsest - order_index - 1); step >= last; --step) {
    const StepChoice choice{order_index, step};
    double worst = 0;
    for (const Sweep* sweep : sweeps) {
      worst = std::max(worst, sweep->estimate(choice));
      if (worst >= best.estimate) break;
    }
    const auto bent = [&](const Sweep* sweep) { return kinked_at(*sweep, choice, *search.smooth); };
    if (worst < best.estimate &&
        (search.smooth == nullptr || std::none_of(sweeps.begin(), sweeps.end(), bent)))
      best = {choice, worst};
  }
  return best;
}

/// The best of the orders, the lower of equal ones.
Found best_of(const SweepPointers& sweeps, const Search& search) {
  Found best;
  for (int order_index = 0; order_index < kOrders && best.estimate > search.enough; ++order_index) {
    const Found found = best_of(sweeps, order_index, search);
    if (found.estimate < best.estimate) best = found;
  }
  return best;
}

double estimate_at_best(const Sweep& sweep) { return best_of({&sweep}, {}).estimate; }

}  // namespace

std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim) {
  SweepPointers telling;
  for (const Sweep& sweep : sweeps)
    if (estimate_at_best(sweep) < kHopeless) telling.push_back(&sweep);
  if (telling.empty()) return std::nullopt;
  const double enough = aim.tolerance * kSpare;
  const Found best = best_of(telling, {.enough = enough});
  const auto bent = [&](const Sweep* sweep) { return kinked_at(*sweep, best.choice, aim); };
  if (std::none_of(telling.begin(), telling.end(), bent)) return best.choice;
  // Where the odd part of L is linear, differences agree across a kink of its even part too.
  std::erase_if(telling, [](const Sweep* of) { return steady_kink(*of, most_agreeing(*of)); });
  if (telling.empty()) return best.choice;
  const Found finer = best_of(telling, {.smooth = &aim, .enough = enough});
  return finer.estimate < kHopeless ? finer.choice : best.choice;
}

std::optional<StepChoice> chosen(const Sweep& sweep, const Aim& aim, int coarsest) {
  const Found best = best_of({&sweep}, {.coarsest = coarsest, .smooth = &aim});
  if (!std::isfinite(best.estimate)) return std::nullopt;
  return best.choice;
}

StepChoice most_agreeing(const Sweep& sweep) {
  const Found best = best_of({&sweep}, {});
  return std::isfinite(best.estimate) ? best.choice : StepChoice{0, sweep.last()};
}

void widen(Sweep& sweep, const Aim& aim) {
  const Real claimed = abs(sweep.unit().claimed(sweep.place()));
  if (!isfinite(claimed) || claimed == 0) return;
  const Real before = sweep.scale();
  sweep.take_scale(claimed);
  const int from = sweep.coarsest();
  double estimate = estimate_at_best(sweep);
  while (estimate > aim.tolerance * kSpare && sweep.coarsest() < kWidest) {
    sweep.widen(std::min(kWidest, sweep.coarsest() + kWider));
    const double now = estimate_at_best(sweep);
    if (!(now < estimate * kGain)) break;
    estimate = now;
  }
  if (!(estimate < kHopeless)) sweep.narrow(from);
  const Real found = scale_of<Real>({sweep.entry(most_agreeing(sweep))});
  sweep.take_scale(sweep.coarsest() > from && found > 0 ? found : before);
}

void deepen(Sweep& sweep, const Aim& aim) {
  if (!isfinite(sweep.fine({0, sweep.last()}))) return;
  StepChoice choice = most_agreeing(sweep);
  double estimate = sweep.estimate(choice);
  if (std::isfinite(estimate) && !grows(sweep, choice)) return;
  const auto enough = [&] { return std::isfinite(estimate) && estimate <= aim.tolerance; };
  while (sweep.last() > kDeepest && (!enough() || grows(sweep, choice))) {
    sweep.deepen(std::max(kDeepest, sweep.last() - kWider));
    choice = most_agreeing(sweep);
    estimate = sweep.estimate(choice);
    if (!std::isfinite(estimate)) continue;
    const Real found = scale_of<Real>({sweep.entry(choice)});
    if (found > sweep.scale()) sweep.take_scale(found);
    estimate = sweep.estimate(choice);
  }
}

std::optional<int> denied(const Sweep& sweep, const StepChoice& choice) {
  const Entry seen = sweep.entry(choice);
  const Real self_error = abs(seen.self_error);
  const auto fine = [&](int step) { return sweep.fine({choice.order_index, step}); };
  for (int step = choice.log2_step - 1; step >= sweep.last() + kInARow; --step) {
    const Real away = abs(fine(step) - seen.fine);
    bool agreed =
        away > far_from(1) * self_error && away > far_from(sweep.error_scales(step).noise);
    for (int k = 0; agreed && k <= kInARow; ++k)
      agreed = away > far_from(1) * abs(fine(step - k) - fine(step - k + 1));
    if (agreed) return step;
  }
  return std::nullopt;
}

bool grows(const Sweep& sweep, const StepChoice& choice) {
  if (choice.log2_step - kOneDirection < sweep.last()) return false;
  Real before = sweep.fine(choice);
  Real less(0);
  for (int k = 1; k <= kOneDirection; ++k) {
    const Real now = sweep.fine({choice.order_index, choice.log2_step - k});
    const Real gone = now - before;
    if (gone == 0 || (k > 1 && (gone > 0) != (less > 0)) || abs(gone) < abs(less)) return false;
    less = gone;
    before = now;
  }
  return true;
}

bool steady(const std::array<Entry, 3>& finer, const std::array<double, 3>& noise) {
  for (std::size_t k = 0; k < finer.size(); ++k) {
    const Real size = abs(finer[k].jump);
    if (!(size > Real(kOverNoise * noise[k]))) return false;
    if (abs(finer[k].jump - finer[0].jump) > size * kSteady) return false;
  }
  return true;
}

bool steady_kink(const Sweep& sweep, const StepChoice& seen) {
  std::array<Entry, 3> finer;
  std::array<double, 3> noise{};
  for (int k = 0; k < 3; ++k) {
    const int step = std::max(sweep.last(), seen.log2_step - 2 * k);
    finer[static_cast<std::size_t>(k)] = sweep.entry({seen.order_index, step});
    noise[static_cast<std::size_t>(k)] = sweep.error_scales(step).noise;
  }
  return steady(finer, noise);
}

}  // namespace gradproof
