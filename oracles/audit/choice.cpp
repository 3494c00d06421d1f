// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

/// Half a digit to spare: the worst of all entries is worse than the worst of the sample, but the
/// estimate is that of D(2h).
constexpr double kSpare = 0.5;
struct Found {
  Choice choice;
  double own = std::numeric_limits<double>::infinity();
};

/// Rounding is not told from luck: two noisy differences may agree by chance.
double estimate(const Sweep& sweep, int form, int step) {
  const Ground ground = sweep.ground(step);
  const double scale = ground.scale.convert_to<double>();
  const double noise = scale > 0 ? ground.noise / scale : ground.noise;
  return std::max(sweep.own(form, step), noise);
}

/// The step of an order whose worst estimate over the sweeps is least; the coarsest of equals.
Found best_of(const std::vector<const Sweep*>& sweeps, int form) {
  Found best;
  for (int step = Sweep::first(form); step >= sweeps.front()->last(); --step) {
    double worst = 0;
    for (const Sweep* sweep : sweeps) {
      worst = std::max(worst, estimate(*sweep, form, step));
      if (worst >= best.own) break;
    }
    if (worst < best.own) best = {{form, step}, worst};
  }
  return best;
}

}  // namespace

std::optional<Choice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim) {
  std::vector<const Sweep*> telling;
  for (const Sweep& sweep : sweeps) {
    double own = std::numeric_limits<double>::infinity();
    for (int form = 0; form < kOrders; ++form) own = std::min(own, best_of({&sweep}, form).own);
    if (own < kHopeless) telling.push_back(&sweep);
  }
  if (telling.empty()) return std::nullopt;
  Found best;
  for (int form = 0; form < kOrders; ++form) {
    const Found found = best_of(telling, form);
    if (found.own < best.own) best = found;
    if (best.own <= aim.tolerance() * std::pow(10, -kSpare)) break;
  }
  return best.choice;
}

std::optional<Choice> chosen(const Sweep& sweep, const Aim& aim, int coarsest) {
  Found best;
  for (int form = 0; form < kOrders; ++form)
    for (int step = std::min(Sweep::first(form), coarsest - form - 1); step >= sweep.last();
         --step) {
      const double own = estimate(sweep, form, step);
      if (own < best.own && !kinked(sweep.entry(form, step), sweep.ground(step), aim))
        best = {{form, step}, own};
    }
  if (!std::isfinite(best.own)) return std::nullopt;
  return best.choice;
}

Choice most_agreeing(const Sweep& sweep) {
  Found best;
  best.choice = {0, sweep.last()};
  for (int form = 0; form < kOrders; ++form) {
    const Found found = best_of({&sweep}, form);
    if (found.own < best.own) best = found;
  }
  return best.choice;
}

}  // namespace gradproof
