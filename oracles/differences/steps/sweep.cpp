// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {

Unmoved unmoved_of(PerturbedLoss& losses, std::size_t tensor, const AuditTarget& target) {
  Unmoved unmoved{losses.claimed(tensor), losses.log2_scale(tensor), losses.magnitude(),
                  losses.typical_change(), target.tensors()[tensor].reach == Reach::itself};
  if (!unmoved.alone) return unmoved;
  for (std::int64_t place = 0; place < losses.count(tensor); ++place)
    unmoved.magnitudes.push_back(losses.magnitude_of(place));
  return unmoved;
}

double Unmoved::noise_of(const Precision& precision, int log2_step, std::int64_t place,
                         double scale) const {
  const double size = alone ? magnitudes[static_cast<std::size_t>(place)] : magnitude;
  if (!alone || std::isfinite(size))
    return precision.unit * std::ldexp(size, -log2_scale - log2_step);
  const double all = noise(precision, log2_step);
  return scale > 0 && !(all < scale) ? scale : all;
}

ErrorScales error_scales_of_element(const ErrorScales& scales, const Entry& entry, double noise) {
  ErrorScales of_element = scales;
  of_element.typical_gradient = scale_of({entry}).convert_to<double>();
  of_element.noise = std::max(of_element.noise, noise);
  of_element.rounding = noise;
  return of_element;
}

Sweep::Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
             const Precision& precision, Method method)
    // Until take_scale(): the scale of the place alone, a third of the way down the sweep.
    : Sweep(losses, tensor, place, unmoved, precision, method,
            {precision.finest, kCoarsest, precision.finest / 3}) {}

Sweep::Sweep(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, const Unmoved& unmoved,
             const Precision& precision, Method method, const Octaves& octaves)
    : method_(method),
      last_(octaves.finest),
      coarsest_(octaves.coarsest),
      log2_scale_(unmoved.log2_scale),
      index_(losses.entry(tensor, place)),
      claimed_(unmoved.claimed[static_cast<std::size_t>(place)]),
      noise_(unmoved.noise_of(precision, 0, place, 0)),
      capped_(unmoved.alone &&
              !std::isfinite(unmoved.magnitudes[static_cast<std::size_t>(place)])) {
  error_scales_.typical_gradient = unmoved.typical_gradient();
  for (int k = last_; k <= coarsest_; ++k) move_by(losses, tensor, place, k);
  const Entry alone = entry(1, octaves.known);
  if (isfinite(alone.fine) && alone.fine != 0) log2_unit_ = static_cast<int>(ilogb(alone.fine));
  take_scale(scale_of({alone}));
  if (!isfinite(claimed_) && isfinite(alone.fine)) take_scale(abs(alone.fine));
  if (!unmoved.alone) return;
  error_scales_.typical_gradient = error_scales_.scale.convert_to<double>();
}

void Sweep::move_by(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int log2_step) {
  const double move = std::ldexp(1, log2_step + log2_scale_);
  const Real above = losses.change_by(method_, tensor, place, move);
  const Real below = losses.change_by(method_, tensor, place, -move);
  odd_.push_back(above - below);
  even_.push_back(above + below);
  rows_ = {};
}

void Sweep::take_scale(const Real& scale) {
  error_scales_.scale = scale;
  scale_ = brought_down(scale);
  plain_scale_ = scale.convert_to<double>();
}

void Sweep::widen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int coarsest) {
  for (; coarsest_ < coarsest; ++coarsest_) move_by(losses, tensor, place, coarsest_ + 1);
}

void Sweep::narrow(int coarsest) {
  coarsest_ = coarsest;
  odd_.resize(static_cast<std::size_t>(coarsest - last_ + 1));
  even_.resize(odd_.size());
  rows_ = {};
}

void Sweep::deepen(PerturbedLoss& losses, std::size_t tensor, std::int64_t place, int finest) {
  const auto finer = static_cast<std::size_t>(std::max(0, last_ - finest));
  for (std::size_t k = 0; k < finer; ++k)
    move_by(losses, tensor, place, finest + static_cast<int>(k));
  const auto bring_first = [&](Values<Real>& moves) {
    std::rotate(moves.begin(), moves.end() - static_cast<std::ptrdiff_t>(finer), moves.end());
  };
  bring_first(odd_);
  bring_first(even_);
  last_ -= static_cast<int>(finer);
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
    central_at.push_back(central(&odd_[at(step)], order_index, step + log2_scale_));
  for (std::size_t k = 0; k + 1 < central_at.size(); ++k) {
    row.distance.push_back(brought_down(abs(central_at[k] - central_at[k + 1])));
    row.size.push_back(brought_down(abs(central_at[k])));
    row.error.push_back(brought_down(abs(central_at[k] - claimed_)));
  }
  return row;
}

Entry Sweep::entry(int order_index, int log2_step) const {
  Entry entry;
  entry.index = index_;
  entry.claimed = claimed_;
  const int log2_h = log2_step + log2_scale_;
  const std::size_t k = at(log2_step);
  entry.fine = central(&odd_[k], order_index, log2_h);
  entry.coarse = central(&odd_[k + 1], order_index, log2_h + 1);
  entry.jump = jump(&even_[k], order_index + 2, log2_h);
  entry.unchanged = unchanged();
  return entry;
}

ErrorScales Sweep::error_scales(int log2_step) const {
  ErrorScales scales = error_scales_;
  scales.noise = noise_at(log2_step);
  scales.rounding = scales.noise;
  return scales;
}

ErrorScales Sweep::cautious_error_scales(int order_index, int log2_step) const {
  ErrorScales cautious = error_scales(log2_step);
  for (int step = std::max(last_, log2_step - 2); step < log2_step; ++step) {
    const double estimate = self_error(order_index, step) * cautious.scale.convert_to<double>();
    if (std::isfinite(estimate)) cautious.noise = std::max(cautious.noise, estimate);
  }
  return cautious;
}

double Sweep::self_error(int order_index, int log2_step) const {
  if (log2_step > top(order_index) || log2_step < last_)
    return std::numeric_limits<double>::infinity();
  const double distance = row(order_index).distance[at(log2_step)];
  if (!std::isfinite(distance)) return std::numeric_limits<double>::infinity();
  // Far beyond its scale the differences of a bounded L vanish. They agree then, but on 0.
  const bool beyond = log2_step > first(order_index);
  const double fine = row(order_index).size[at(log2_step)];
  if (beyond && fine == 0) return std::numeric_limits<double>::infinity();
  if (distance == 0) return 0;
  const double scale = beyond ? std::min(scale_, fine) : scale_;
  return scale == 0 ? 1 : distance / scale;
}

bool Sweep::is_informative(int order_index, int log2_step) const {
  const Row& of = row(order_index);
  const std::size_t k = at(log2_step);
  return gradproof::is_informative(of.distance[k], of.size[k],
                                   brought_down(error_scales_.typical_gradient),
                                   brought_down(noise_at(log2_step)));
}

Real Sweep::fine(int order_index, int log2_step) const {
  return central(&odd_[at(log2_step)], order_index, log2_step + log2_scale_);
}

double Sweep::error(int order_index, int log2_step) const {
  if (log2_step > top(order_index) || log2_step < last_)
    return std::numeric_limits<double>::infinity();
  const double error = row(order_index).error[at(log2_step)];
  if (scale_ == 0) return error == 0 ? 0 : 1;
  return error / scale_;
}

double Sweep::relative_noise(int log2_step) const {
  const double noise = noise_at(log2_step);
  return plain_scale_ > 0 ? noise / plain_scale_ : noise;
}

double Sweep::noise_at(int log2_step) const {
  const double noise = std::ldexp(noise_, -log2_step);
  return capped_ && plain_scale_ > 0 && !(noise < plain_scale_) ? plain_scale_ : noise;
}

bool Sweep::unchanged() const {
  const auto nothing = [](const Real& value) { return value == 0; };
  return std::all_of(odd_.begin(), odd_.end(), nothing) &&
         std::all_of(even_.begin(), even_.end(), nothing);
}

}  // namespace gradproof
