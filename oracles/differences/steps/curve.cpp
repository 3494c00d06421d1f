// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/steps/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPlateau = 10;  ///< errors up to this many times the floor belong to the plateau
constexpr double kSaturated = 0.01;  ///< larger errors follow no power of the step yet
constexpr int kFewest = 4;           ///< points for a slope
constexpr double kLeast = 1e-50;     ///< an error of 0 counts as this one

using Points = std::vector<std::pair<double, double>>;

double slope(const Points& points) {
  if (points.size() < kFewest) return kNaN;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [a, b] : points) {
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  const auto n = static_cast<double>(points.size());
  return (n * xy - x * y) / (n * xx - x * x);
}

void take_worst(double& worst, double value) {
  if (std::isfinite(value) && !(worst >= value)) worst = value;
}

}  // namespace

std::vector<SweepPoint> drawn(const std::vector<Sweep>& sweeps) {
  std::vector<SweepPoint> points;
  if (sweeps.empty()) return points;
  for (int step = Sweep::first(0); step >= sweeps.front().last(); --step) {
    SweepPoint point;
    point.log2_step = step;
    point.error.fill(kNaN);
    point.own.fill(kNaN);
    for (int order_index = 0; order_index < kOrders; ++order_index) {
      if (step > Sweep::first(order_index)) continue;
      for (const Sweep& sweep : sweeps) {
        take_worst(point.error[static_cast<std::size_t>(order_index)],
                   sweep.error({order_index, step}));
        take_worst(point.own[static_cast<std::size_t>(order_index)],
                   sweep.self_error({order_index, step}));
      }
    }
    points.push_back(point);
  }
  return points;
}

CurveShape shape_of(const std::vector<SweepPoint>& sweep, const StepChoice& choice) {
  CurveShape shape;
  const auto order_index = static_cast<std::size_t>(choice.order_index);
  const auto error = [&](const SweepPoint& p) { return std::max(p.error[order_index], kLeast); };
  Points known;
  for (const SweepPoint& point : sweep)
    if (std::isfinite(point.error[order_index])) known.emplace_back(point.log2_step, error(point));
  if (known.empty()) return shape;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto bottom = *std::min_element(known.begin(), known.end(), less);
  shape.floor = bottom.second;
  Points right;
  Points left;
  for (const auto& [step, value] : known) {
    if (value <= kPlateau * shape.floor)
      ++shape.plateau;
    else if (value < kSaturated)
      (step > bottom.first ? right : left).emplace_back(step, std::log2(value));
  }
  shape.right = slope(right);
  shape.left = slope(left);
  return shape;
}

}  // namespace gradproof
