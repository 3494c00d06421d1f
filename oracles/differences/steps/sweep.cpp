// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/sweep.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Takes a finite value that is larger than `worst`, or any if `worst` is NaN.
void take_worst(double& worst, double value) {
  if (std::isfinite(value) && !(worst >= value)) worst = value;
}

}  // namespace

Sweep::Sweep(const UnitAtRest& unit, std::int64_t place, Method method)
    : unit_(unit),
      place_(place),
      noise_(unit.noise_of(place)),
      changes_(two_sided(unit, {place}, method, last(), step_rules::kCoarsest)[0]) {
  const Entry here = entry({1, step_rules::middle_step(unit.precision())});
  take_scale(scale_of(here));
  if (!std::isfinite(here.claimed) && std::isfinite(here.fine)) take_scale(std::abs(here.fine));
  error_scales_.typical_gradient = unit.alone() ? scale() : unit.typical_gradient();
}

const Sweep::Cell& Sweep::cell(const StepChoice& choice) const {
  std::vector<Cell>& cells = cells_[static_cast<std::size_t>(choice.order_index)];
  if (cells.empty()) {
    const auto fine = [&](int step) {
      return central(&changes_.odd[at(step)], choice.order_index, step + unit_.log2_scale());
    };
    for (int step = last(); step <= first(choice.order_index); ++step)
      cells.push_back({extended(abs(fine(step) - fine(step + 1))), extended(abs(fine(step))),
                       extended(abs(fine(step) - unit_.claimed(place_)))});
  }
  return cells[at(choice.log2_step)];
}

ErrorScales Sweep::error_scales(int log2_step) const {
  ErrorScales scales = error_scales_;
  scales.noise = scales.rounding = noise_.at(log2_step, scale());
  return scales;
}

ErrorScales Sweep::cautious_error_scales(const StepChoice& choice) const {
  ErrorScales cautious = error_scales(choice.log2_step);
  for (int step = std::max(last(), choice.log2_step - 2); step < choice.log2_step; ++step) {
    const Extended estimate = self_error({choice.order_index, step}) * scale();
    if (std::isfinite(estimate)) cautious.noise = std::max(cautious.noise, estimate);
  }
  return cautious;
}

double Sweep::self_error(const StepChoice& choice) const {
  if (!has(choice)) return kInfinity;
  const Extended distance = cell(choice).distance;
  if (!std::isfinite(distance)) return kInfinity;
  if (distance == 0) return 0;
  return scale() == 0 ? 1 : static_cast<double>(distance / scale());
}

double Sweep::estimate(const StepChoice& choice) const {
  const double self_error = this->self_error(choice);
  if (!std::isfinite(self_error)) return kInfinity;
  const Extended noise = noise_.at(choice.log2_step, scale());
  const Cell& of = cell(choice);
  if (!is_informative(of.distance, of.size, typical_gradient(), noise)) return kInfinity;
  return std::max(self_error, static_cast<double>(scale() > 0 ? noise / scale() : noise));
}

double Sweep::error(const StepChoice& choice) const {
  if (!has(choice)) return kInfinity;
  const Extended error = cell(choice).error;
  if (scale() == 0) return error == 0 ? 0 : 1;
  return static_cast<double>(error / scale());
}

std::vector<SweepPoint> drawn(const std::vector<Sweep>& sweeps) {
  std::vector<SweepPoint> points;
  if (sweeps.empty()) return points;
  for (int step = Sweep::first(0); step >= sweeps.front().last(); --step) {
    SweepPoint& point = points.emplace_back();
    point.log2_step = step;
    for (std::size_t k = 0; k < kOrders; ++k) {
      const StepChoice choice{static_cast<int>(k), step};
      point.error[k] = point.own[k] = std::numeric_limits<double>::quiet_NaN();
      for (const Sweep& sweep : sweeps) {
        take_worst(point.error[k], sweep.error(choice));
        take_worst(point.own[k], sweep.self_error(choice));
      }
    }
  }
  return points;
}

}  // namespace gradproof
