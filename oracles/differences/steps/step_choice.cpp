// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/step_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

/// Half a digit more than wanted: the worst of all entries is worse than the worst of the sample.
constexpr double kSpare = 0.5;
/// log2 of the coarsest move of widen() over the scale, its doublings at a time, and the factor by
/// which these must reduce the estimate: rounding falls by 2^-10 over them, truncation grows.
constexpr int kWidest = 140;
constexpr int kWider = 10;
constexpr double kGain = 0x1p-5;
/// log2 of the finest move of deepen() over the scale.
constexpr int kDeepest = -140;
/// Differences that agree by chance do not agree at this many finer steps, where rounding is
/// larger.
constexpr int kInARow = 4;
/// Steps in one direction, none smaller than the one before: roundings of random signs do so with a
/// probability below 2^-12.
constexpr int kOneDirection = 12;
/// A jump has five times the rounding error of D(h), and its extrapolation adds a few bits.
constexpr double kOverNoise = 0x1p10;
constexpr double kSteady = 0x1p-6;

struct Found {
  StepChoice choice;
  double self_error = std::numeric_limits<double>::infinity();
};

/// max(|D(h) - D(2h)|, noise) over the scale; infinite where it is not informative. The noise
/// counts because two noisy differences may agree by chance.
double estimate(const Sweep& sweep, int order_index, int step) {
  const double self_error = sweep.self_error(order_index, step);
  if (!std::isfinite(self_error) || !sweep.is_informative(order_index, step))
    return std::numeric_limits<double>::infinity();
  return std::max(self_error, sweep.relative_noise(step));
}

bool kinked_at(const Sweep& sweep, const StepChoice& at, const Aim& aim) {
  return kinked(sweep.entry(at.order_index, at.log2_step), sweep.error_scales(at.log2_step), aim);
}

/// The step of an order at which the worst estimate over the sweeps is smallest, at most
/// `coarsest`; the coarsest of equal ones.
Found best_of(const std::vector<const Sweep*>& sweeps, int order_index,
              int coarsest = std::numeric_limits<int>::max()) {
  Found best;
  int top = Sweep::first(order_index);
  int last = sweeps.front()->last();
  for (const Sweep* sweep : sweeps) {
    top = std::max(top, sweep->top(order_index));
    last = std::max(last, sweep->last());
  }
  for (int step = std::min(top, coarsest); step >= last; --step) {
    double worst = 0;
    for (const Sweep* sweep : sweeps) {
      worst = std::max(worst, estimate(*sweep, order_index, step));
      if (worst >= best.self_error) break;
    }
    if (worst < best.self_error) best = {{order_index, step}, worst};
  }
  return best;
}

/// best_of() the steps at which no sweep is kinked. Where the odd part of L is linear, differences
/// agree at any step, across a kink of its even part too.
Found smooth_best_of(const std::vector<const Sweep*>& sweeps, int order_index, const Aim& aim) {
  Found found = best_of(sweeps, order_index);
  for (const Sweep* sweep : sweeps)
    while (std::isfinite(found.self_error) && kinked_at(*sweep, found.choice, aim))
      found = best_of(sweeps, order_index, found.choice.log2_step - 1);
  return found;
}

/// The result of the lowest order that reaches the wanted digits, else the best of all orders;
/// `best_of_order(order_index)` gives that of one order.
template <class BestOfOrder>
Found best_of_orders(const BestOfOrder& best_of_order, const Aim& aim) {
  Found best;
  for (int order_index = 0; order_index < kOrders; ++order_index) {
    const Found found = best_of_order(order_index);
    if (found.self_error < best.self_error) best = found;
    if (best.self_error <= aim.tolerance() * std::pow(10, -kSpare)) break;
  }
  return best;
}

}  // namespace

std::optional<StepChoice> chosen(const std::vector<Sweep>& sweeps, const Aim& aim) {
  std::vector<const Sweep*> telling;
  for (const Sweep& sweep : sweeps) {
    double self_error = std::numeric_limits<double>::infinity();
    for (int order_index = 0; order_index < kOrders; ++order_index)
      self_error = std::min(self_error, best_of({&sweep}, order_index).self_error);
    if (self_error < kHopeless) telling.push_back(&sweep);
  }
  if (telling.empty()) return std::nullopt;
  const Found best =
      best_of_orders([&](int order_index) { return best_of(telling, order_index); }, aim);
  const auto bent = [&](const Sweep* sweep) { return kinked_at(*sweep, best.choice, aim); };
  if (std::none_of(telling.begin(), telling.end(), bent)) return best.choice;
  std::erase_if(telling, [](const Sweep* of) { return steady_kink(*of, most_agreeing(*of)); });
  if (telling.empty()) return best.choice;
  const Found finer = best_of_orders(
      [&](int order_index) { return smooth_best_of(telling, order_index, aim); }, aim);
  return finer.self_error < kHopeless ? finer.choice : best.choice;
}

bool agrees(const Sweep& sweep, const StepChoice& choice, const Aim& aim) {
  return estimate(sweep, choice.order_index, choice.log2_step) <=
         aim.tolerance() * std::pow(10, -kSpare);
}

std::optional<StepChoice> chosen(const Sweep& sweep, const Aim& aim, int coarsest) {
  Found best;
  for (int order_index = 0; order_index < kOrders; ++order_index)
    for (int step = std::min(sweep.top(order_index), coarsest - order_index - 1);
         step >= sweep.last(); --step) {
      const double self_error = estimate(sweep, order_index, step);
      if (self_error < best.self_error && !kinked_at(sweep, {order_index, step}, aim))
        best = {{order_index, step}, self_error};
    }
  if (!std::isfinite(best.self_error)) return std::nullopt;
  return best.choice;
}

StepChoice most_agreeing(const Sweep& sweep) {
  Found best;
  best.choice = {0, sweep.last()};
  for (int order_index = 0; order_index < kOrders; ++order_index) {
    const Found found = best_of({&sweep}, order_index);
    if (found.self_error < best.self_error) best = found;
  }
  return best.choice;
}

void widen(Sweep& sweep, PerturbedLoss& losses, std::size_t tensor, std::int64_t place,
           const Aim& aim) {
  const Real claimed = abs(sweep.entry(0, sweep.top(0)).claimed);
  if (!isfinite(claimed) || claimed == 0) return;
  const Real before = sweep.error_scales_without_noise().scale;
  sweep.take_scale(claimed);
  const auto best = [&] {
    const StepChoice choice = most_agreeing(sweep);
    return estimate(sweep, choice.order_index, choice.log2_step);
  };
  const int from = sweep.coarsest();
  double self_error = best();
  while (self_error > aim.tolerance() * std::pow(10, -kSpare) && sweep.coarsest() < kWidest) {
    sweep.widen(losses, tensor, place, std::min(kWidest, sweep.coarsest() + kWider));
    const double now = best();
    if (!(now < self_error * kGain)) break;
    self_error = now;
  }
  if (!(self_error < kHopeless)) sweep.narrow(from);
  const StepChoice choice = most_agreeing(sweep);
  const Real found = scale_of({sweep.entry(choice.order_index, choice.log2_step)});
  sweep.take_scale(sweep.coarsest() > from && found > 0 ? found : before);
}

void deepen(Sweep& sweep, PerturbedLoss& losses, std::size_t tensor, std::int64_t place,
            const Aim& aim) {
  if (!isfinite(sweep.fine(0, sweep.last()))) return;
  const auto best = [&] {
    const StepChoice choice = most_agreeing(sweep);
    return std::pair(choice, estimate(sweep, choice.order_index, choice.log2_step));
  };
  auto [choice, self_error] = best();
  if (std::isfinite(self_error) && !grows(sweep, choice)) return;
  const auto enough = [&] { return std::isfinite(self_error) && self_error <= aim.tolerance(); };
  while (sweep.last() > kDeepest && (!enough() || grows(sweep, choice))) {
    sweep.deepen(losses, tensor, place, std::max(kDeepest, sweep.last() - kWider));
    std::tie(choice, self_error) = best();
    if (!std::isfinite(self_error)) continue;
    const Real found = scale_of({sweep.entry(choice.order_index, choice.log2_step)});
    if (found > sweep.error_scales_without_noise().scale) sweep.take_scale(found);
    self_error = estimate(sweep, choice.order_index, choice.log2_step);
  }
}

std::optional<int> denied(const Sweep& sweep, const StepChoice& choice) {
  const Entry seen = sweep.entry(choice.order_index, choice.log2_step);
  const Real self_error = abs(seen.fine - seen.coarse);
  for (int step = choice.log2_step - 1; step >= sweep.last() + kInARow; --step) {
    const Real away = abs(sweep.fine(choice.order_index, step) - seen.fine);
    bool agreed =
        away > far_from(1) * self_error && away > far_from(sweep.error_scales(step).noise);
    for (int k = 0; agreed && k <= kInARow; ++k)
      agreed = away > far_from(1) * abs(sweep.fine(choice.order_index, step - k) -
                                        sweep.fine(choice.order_index, step - k + 1));
    if (agreed) return step;
  }
  return std::nullopt;
}

bool grows(const Sweep& sweep, const StepChoice& choice) {
  if (choice.log2_step - kOneDirection < sweep.last()) return false;
  Real before = sweep.fine(choice.order_index, choice.log2_step);
  Real less(0);
  for (int k = 1; k <= kOneDirection; ++k) {
    const Real now = sweep.fine(choice.order_index, choice.log2_step - k);
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
    finer[static_cast<std::size_t>(k)] = sweep.entry(seen.order_index, step);
    noise[static_cast<std::size_t>(k)] = sweep.error_scales(step).noise;
  }
  return steady(finer, noise);
}

}  // namespace gradproof
