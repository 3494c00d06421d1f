// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Sweep::Sweep(const UnitAtRest& unit, std::int64_t place, Method method, const Octaves& octaves)
    : unit_(unit),
      place_(place),
      method_(method),
      last_(octaves.finest),
      coarsest_(octaves.coarsest),
      noise_(unit.noise_of(0, place, 0)),
      capped_(unit.alone() && !unit.has_magnitude(place)) {
  for (int k = last_; k <= coarsest_; ++k) move_by(k);
  const Entry here = entry({1, octaves.known});
  if (isfinite(here.fine) && here.fine != 0) log2_unit_ = static_cast<int>(ilogb(here.fine));
  take_scale(scale_of<Real>({here}));
  if (!isfinite(here.claimed) && isfinite(here.fine)) take_scale(abs(here.fine));
  error_scales_.typical_gradient =
      unit.alone() ? scale().convert_to<double>() : unit.typical_gradient();
}

void Sweep::move_by(int log2_step) {
  const double move = std::ldexp(1, log2_step + unit_.log2_scale());
  const Real above = unit_.losses().change_by(method_, unit_.tensor(), place_, move);
  const Real below = unit_.losses().change_by(method_, unit_.tensor(), place_, -move);
  odd_.push_back(above - below);
  even_.push_back(above + below);
  rows_ = {};
}

void Sweep::take_scale(const Real& scale) {
  error_scales_.scale = scale;
  scale_ = brought_down(scale);
  plain_scale_ = scale.convert_to<double>();
}

void Sweep::widen(int coarsest) {
  for (; coarsest_ < coarsest; ++coarsest_) move_by(coarsest_ + 1);
}

void Sweep::narrow(int coarsest) {
  coarsest_ = coarsest;
  odd_.resize(static_cast<std::size_t>(coarsest - last_ + 1));
  even_.resize(odd_.size());
  rows_ = {};
}

void Sweep::deepen(int finest) {
  const int finer = std::max(0, last_ - finest);
  for (int k = 0; k < finer; ++k) move_by(finest + k);
  for (Values<Real>* moves : {&odd_, &even_})
    std::rotate(moves->begin(), moves->end() - finer, moves->end());
  last_ -= finer;
}

const Sweep::Row& Sweep::row(int order_index) const {
  std::optional<Row>& row = rows_[static_cast<std::size_t>(order_index)];
  if (!row) row = tabled(order_index);
  return *row;
}

Sweep::Row Sweep::tabled(int order_index) const {
  Row row;
  Values<Real> central_at;
  for (int step = last_; step <= top(order_index) + 1; ++step)
    central_at.push_back(fine({order_index, step}));
  for (std::size_t k = 0; k + 1 < central_at.size(); ++k) {
    row.distance.push_back(brought_down(abs(central_at[k] - central_at[k + 1])));
    row.size.push_back(brought_down(abs(central_at[k])));
    row.error.push_back(brought_down(abs(central_at[k] - unit_.claimed(place_))));
  }
  return row;
}

Entry Sweep::entry(const StepChoice& choice) const {
  const std::size_t k = at(choice.log2_step);
  Entry entry = entry_of(unit_.entry(place_), unit_.claimed(place_), &odd_[k], &even_[k],
                         choice.order_index, choice.log2_step + unit_.log2_scale());
  const auto nothing = [](const Real& value) { return value == 0; };
  entry.unchanged = std::all_of(odd_.begin(), odd_.end(), nothing) &&
                    std::all_of(even_.begin(), even_.end(), nothing);
  return entry;
}

Real Sweep::fine(const StepChoice& choice) const {
  return central(&odd_[at(choice.log2_step)], choice.order_index,
                 choice.log2_step + unit_.log2_scale());
}

ErrorScales Sweep::error_scales(int log2_step) const {
  ErrorScales scales = error_scales_;
  scales.noise = noise_at(log2_step);
  scales.rounding = scales.noise;
  return scales;
}

ErrorScales Sweep::cautious_error_scales(const StepChoice& choice) const {
  ErrorScales cautious = error_scales(choice.log2_step);
  for (int step = std::max(last_, choice.log2_step - 2); step < choice.log2_step; ++step) {
    const double estimate = self_error({choice.order_index, step}) * plain_scale_;
    if (std::isfinite(estimate)) cautious.noise = std::max(cautious.noise, estimate);
  }
  return cautious;
}

double Sweep::self_error(const StepChoice& choice) const {
  if (!has(choice)) return kInfinity;
  const double distance = row(choice.order_index).distance[at(choice.log2_step)];
  if (!std::isfinite(distance)) return kInfinity;
  // Far beyond its scale the differences of a bounded L vanish. They agree then, but on 0.
  const bool beyond = choice.log2_step > first(choice.order_index);
  const double fine = row(choice.order_index).size[at(choice.log2_step)];
  if (beyond && fine == 0) return kInfinity;
  if (distance == 0) return 0;
  const double scale = beyond ? std::min(scale_, fine) : scale_;
  return scale == 0 ? 1 : distance / scale;
}

bool Sweep::is_informative(const StepChoice& choice) const {
  const Row& of = row(choice.order_index);
  const std::size_t k = at(choice.log2_step);
  return gradproof::is_informative(of.distance[k], of.size[k],
                                   std::ldexp(typical_gradient(), -log2_unit_),
                                   std::ldexp(noise_at(choice.log2_step), -log2_unit_));
}

double Sweep::estimate(const StepChoice& choice) const {
  const double self_error = this->self_error(choice);
  if (!std::isfinite(self_error) || !is_informative(choice)) return kInfinity;
  const double noise = noise_at(choice.log2_step);
  return std::max(self_error, plain_scale_ > 0 ? noise / plain_scale_ : noise);
}

double Sweep::error(const StepChoice& choice) const {
  if (!has(choice)) return kInfinity;
  const double error = row(choice.order_index).error[at(choice.log2_step)];
  if (scale_ == 0) return error == 0 ? 0 : 1;
  return error / scale_;
}

double Sweep::noise_at(int log2_step) const {
  const double noise = std::ldexp(noise_, -log2_step);
  return capped_ && plain_scale_ > 0 && !(noise < plain_scale_) ? plain_scale_ : noise;
}

}  // namespace gradproof
