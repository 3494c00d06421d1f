// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {

Rest rest_of(Losses& losses, std::size_t tensor) {
  return {losses.claimed(tensor), losses.log2_scale(tensor), losses.magnitude()};
}

Sweep::Sweep(Losses& losses, std::size_t tensor, std::int64_t place, const Rest& rest,
             const Precision& precision)
    : last_(precision.finest),
      log2_scale_(rest.log2_scale),
      index_(losses.entry(tensor, place)),
      claimed_(rest.claimed[static_cast<std::size_t>(place)]),
      noise_(rest.noise(precision, 0)) {
  ground_.natural = rest.natural();
  for (int k = last_; k <= kCoarsest; ++k) {
    const double move = std::ldexp(1, k + log2_scale_);
    const Real above = losses.change(tensor, place, move);
    const Real below = losses.change(tensor, place, -move);
    odd_.push_back(above - below);
    even_.push_back(above + below);
  }
  // Until somebody knows better: the place by itself, half-way down the sweep.
  const Entry alone = entry(1, last_ / 3);
  ground_.scale = scale_of({alone});
  if (!isfinite(claimed_) && isfinite(alone.fine)) ground_.scale = abs(alone.fine);
}

Entry Sweep::entry(int form, int log2_step) const {
  Entry entry;
  entry.index = index_;
  entry.claimed = claimed_;
  const int log2_h = log2_step + log2_scale_;
  const std::size_t k = at(log2_step);
  entry.fine = central(&odd_[k], form, log2_h);
  entry.coarse = central(&odd_[k + 1], form, log2_h + 1);
  entry.jump = jump(&even_[k], form + 2, log2_h);
  entry.unchanged = unchanged();
  return entry;
}

Ground Sweep::ground(int log2_step) const {
  Ground ground = ground_;
  ground.noise = std::ldexp(noise_, -log2_step);
  return ground;
}

Ground Sweep::sober_ground(int form, int log2_step) const {
  Ground sober = ground(log2_step);
  for (int step = std::max(last_, log2_step - 2); step < log2_step; ++step) {
    const double estimate = own(form, step) * sober.scale.convert_to<double>();
    if (std::isfinite(estimate)) sober.noise = std::max(sober.noise, estimate);
  }
  return sober;
}

double Sweep::own(int form, int log2_step) const {
  const int log2_h = log2_step + log2_scale_;
  const std::size_t k = at(log2_step);
  const Real distance =
      abs(central(&odd_[k], form, log2_h) - central(&odd_[k + 1], form, log2_h + 1));
  if (!isfinite(distance)) return std::numeric_limits<double>::infinity();
  if (distance == 0) return 0;
  return ground_.scale == 0 ? 1 : Real(distance / ground_.scale).convert_to<double>();
}

bool Sweep::unchanged() const {
  const auto nothing = [](const Real& value) { return value == 0; };
  return std::all_of(odd_.begin(), odd_.end(), nothing) &&
         std::all_of(even_.begin(), even_.end(), nothing);
}

}  // namespace gradproof
