// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {

Rest rest_of(Losses& losses, std::size_t tensor, const Subject& subject) {
  Rest rest{losses.claimed(tensor), losses.log2_scale(tensor), losses.magnitude(), losses.felt(),
            subject.tensors()[tensor].reach == Reach::itself};
  if (!rest.alone) return rest;
  for (std::int64_t place = 0; place < losses.count(tensor); ++place)
    rest.magnitudes.push_back(losses.magnitude_of(place));
  return rest;
}

double Rest::noise_of(const Precision& precision, int log2_step, std::int64_t place,
                      double scale) const {
  const double own = alone ? magnitudes[static_cast<std::size_t>(place)] : magnitude;
  if (!alone || std::isfinite(own))
    return precision.unit * std::ldexp(own, -log2_scale - log2_step);
  const double all = noise(precision, log2_step);
  return scale > 0 && !(all < scale) ? scale : all;
}

Ground ground_alone(const Ground& ground, const Entry& entry, double noise) {
  Ground own = ground;
  own.natural = scale_of({entry}).convert_to<double>();
  own.noise = std::max(own.noise, noise);
  return own;
}

Sweep::Sweep(Losses& losses, std::size_t tensor, std::int64_t place, const Rest& rest,
             const Precision& precision)
    : last_(precision.finest),
      log2_scale_(rest.log2_scale),
      index_(losses.entry(tensor, place)),
      claimed_(rest.claimed[static_cast<std::size_t>(place)]),
      noise_(rest.noise_of(precision, 0, place, 0)),
      capped_(rest.alone && !std::isfinite(rest.magnitudes[static_cast<std::size_t>(place)])) {
  ground_.natural = rest.natural();
  for (int k = last_; k <= kCoarsest; ++k) move_by(losses, tensor, place, k);
  // Until somebody knows better: the place by itself, half-way down the sweep.
  const Entry alone = entry(1, last_ / 3);
  ground_.scale = scale_of({alone});
  if (!isfinite(claimed_) && isfinite(alone.fine)) ground_.scale = abs(alone.fine);
  if (!rest.alone) return;
  ground_.natural = ground_.scale.convert_to<double>();
}

void Sweep::move_by(Losses& losses, std::size_t tensor, std::int64_t place, int log2_step) {
  const double move = std::ldexp(1, log2_step + log2_scale_);
  const Real above = losses.change(tensor, place, move);
  const Real below = losses.change(tensor, place, -move);
  odd_.push_back(above - below);
  even_.push_back(above + below);
}

void Sweep::widen(Losses& losses, std::size_t tensor, std::int64_t place, int coarsest) {
  for (; coarsest_ < coarsest; ++coarsest_) move_by(losses, tensor, place, coarsest_ + 1);
}

void Sweep::narrow(int coarsest) {
  coarsest_ = coarsest;
  odd_.resize(static_cast<std::size_t>(coarsest - last_ + 1));
  even_.resize(odd_.size());
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
  const double scale = ground.scale.convert_to<double>();
  if (capped_ && scale > 0 && !(ground.noise < scale)) ground.noise = scale;
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
  if (log2_step > top(form)) return std::numeric_limits<double>::infinity();
  const int log2_h = log2_step + log2_scale_;
  const std::size_t k = at(log2_step);
  const Real fine = central(&odd_[k], form, log2_h);
  const Real distance = abs(fine - central(&odd_[k + 1], form, log2_h + 1));
  if (!isfinite(distance)) return std::numeric_limits<double>::infinity();
  // Moved far beyond its scale, a bounded L has differences that vanish and so agree, about
  // nothing.
  const bool beyond = log2_step > first(form);
  if (beyond && fine == 0) return std::numeric_limits<double>::infinity();
  if (distance == 0) return 0;
  const Real scale = beyond ? std::min(ground_.scale, Real(abs(fine))) : ground_.scale;
  return scale == 0 ? 1 : Real(distance / scale).convert_to<double>();
}

bool Sweep::unchanged() const {
  const auto nothing = [](const Real& value) { return value == 0; };
  return std::all_of(odd_.begin(), odd_.end(), nothing) &&
         std::all_of(even_.begin(), even_.end(), nothing);
}

}  // namespace gradproof
