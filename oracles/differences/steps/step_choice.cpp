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

/// The step of an order at which the worst estimate over the sweeps is smallest, the coarsest of
/// equal ones; where `smooth` is given, none at which a sweep is kinked by this aim.
Found best_of(const SweepPointers& sweeps, int order_index, const Aim* smooth) {
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
        (smooth == nullptr || std::none_of(sweeps.begin(), sweeps.end(), [&](const Sweep* sweep) {
           return kinked(sweep->entry(choice), sweep->error_scales(step), *smooth);
         })))
      best = {choice, worst};
  }
  return best;
}

/// The best of the orders, the lower of equal ones. Higher orders are not looked at when one has an
/// estimate of `enough`.
Found best_of(const SweepPointers& sweeps, double enough, const Aim* smooth = nullptr) {
  Found best;
  for (int order_index = 0; order_index < kOrders && best.estimate > enough; ++order_index) {
    const Found found = best_of(sweeps, order_index, smooth);
    if (found.estimate < best.estimate) best = found;
  }
  return best;
}

}  // namespace

std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim) {
  SweepPointers agreeing;
  for (const Sweep& sweep : sweeps)
    if (best_of({&sweep}, 0.0).estimate < kHopeless) agreeing.push_back(&sweep);
  if (agreeing.empty()) return std::nullopt;
  const double enough = aim.tolerance * kSpare;
  const StepChoice best = best_of(agreeing, enough).choice;
  const auto is_kinked = [&](const Sweep* sweep) {
    return kinked(sweep->entry(best), sweep->error_scales(best.log2_step), aim);
  };
  if (std::none_of(agreeing.begin(), agreeing.end(), is_kinked)) return best;
  // Where the odd part of L is linear, differences agree at steps at which its even part bends.
  const Found smooth = best_of(agreeing, enough, &aim);
  return smooth.estimate < kHopeless ? smooth.choice : best;
}

double worst_self_error(const std::vector<Sweep>& sweeps, const StepChoice& choice) {
  double worst = 0;
  for (const Sweep& sweep : sweeps) {
    const double self_error = sweep.self_error(choice);
    if (self_error < kHopeless) worst = std::max(worst, self_error);
  }
  return worst;
}

}  // namespace gradproof
