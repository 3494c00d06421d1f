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
/// How far numbers are ever moved, by how many doublings at a time, and what these must gain:
/// rounding falls by 2^-10 over them, truncation rises.
constexpr int kWidest = 140;
constexpr int kWider = 10;
constexpr double kGain = 0x1p-5;
/// A jump has five times the rounding error of D(h), and its extrapolation a few bits of its own.
constexpr double kOverNoise = 0x1p10;
constexpr double kSteady = 0x1p-6;

struct Found {
  Choice choice;
  double own = std::numeric_limits<double>::infinity();
};

/// Rounding is not told from luck: two noisy differences may agree by chance.
double estimate(const Sweep& sweep, int form, int step) {
  return std::max(sweep.own(form, step), sweep.relative_noise(step));
}

/// The step of an order whose worst estimate over the sweeps is least; the coarsest of equals.
Found best_of(const std::vector<const Sweep*>& sweeps, int form) {
  Found best;
  int top = Sweep::first(form);
  int last = sweeps.front()->last();
  for (const Sweep* sweep : sweeps) {
    top = std::max(top, sweep->top(form));
    last = std::max(last, sweep->last());
  }
  for (int step = top; step >= last; --step) {
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

bool agrees(const Sweep& sweep, const Choice& choice, const Aim& aim) {
  return estimate(sweep, choice.form, choice.log2_step) <= aim.tolerance() * std::pow(10, -kSpare);
}

std::optional<Choice> chosen(const Sweep& sweep, const Aim& aim, int coarsest) {
  Found best;
  for (int form = 0; form < kOrders; ++form)
    for (int step = std::min(sweep.top(form), coarsest - form - 1); step >= sweep.last(); --step) {
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

void widen(Sweep& sweep, Losses& losses, std::size_t tensor, std::int64_t place, const Aim& aim) {
  const Real claimed = abs(sweep.entry(0, sweep.top(0)).claimed);
  if (!isfinite(claimed) || claimed == 0) return;
  const Real before = sweep.ground_but_noise().scale;
  sweep.take_scale(claimed);
  const auto best = [&] {
    const Choice choice = most_agreeing(sweep);
    return estimate(sweep, choice.form, choice.log2_step);
  };
  const int from = sweep.coarsest();
  double own = best();
  while (own > aim.tolerance() * std::pow(10, -kSpare) && sweep.coarsest() < kWidest) {
    sweep.widen(losses, tensor, place, std::min(kWidest, sweep.coarsest() + kWider));
    const double now = best();
    if (!(now < own * kGain)) break;
    own = now;
  }
  if (!(own < kHopeless)) sweep.narrow(from);
  const Choice choice = most_agreeing(sweep);
  const Real found = scale_of({sweep.entry(choice.form, choice.log2_step)});
  sweep.take_scale(sweep.coarsest() > from && found > 0 ? found : before);
}

bool steady(const std::array<Entry, 3>& finer, const std::array<double, 3>& noise) {
  for (std::size_t k = 0; k < finer.size(); ++k) {
    const Real size = abs(finer[k].jump);
    if (!(size > Real(kOverNoise * noise[k]))) return false;
    if (abs(finer[k].jump - finer[0].jump) > size * kSteady) return false;
  }
  return true;
}

bool steady_kink(const Sweep& sweep, const Choice& seen) {
  std::array<Entry, 3> finer;
  std::array<double, 3> noise{};
  for (int k = 0; k < 3; ++k) {
    const int step = std::max(sweep.last(), seen.log2_step - 2 * k);
    finer[static_cast<std::size_t>(k)] = sweep.entry(seen.form, step);
    noise[static_cast<std::size_t>(k)] = sweep.ground(step).noise;
  }
  return steady(finer, noise);
}

}  // namespace gradproof
