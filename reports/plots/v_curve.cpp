// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "reports/audit/audit_curve.h"
#include "reports/plots/drawing.h"
#include "reports/plots/plots.h"

namespace gradproof {
namespace {

constexpr std::array<int, 3> kOrders{2, 4, 6};

std::string style_of(std::size_t order, const char* kind) {
  return fmt::format("{} series{}", kind, order + 1);
}

/// Runs of points that can be shown; a gap ends one.
std::string steps_of(const std::vector<SweepPoint>& points, std::size_t order, bool own,
                     const AxisScale& x, const AxisScale& y) {
  std::string steps;
  bool open = false;
  for (const SweepPoint& point : points) {
    const double error = own ? point.own[order] : point.error[order];
    const bool shown = error > 0 && std::isfinite(error);
    if (shown)
      steps += fmt::format("{}{:.4g} {:.4g}", open ? "L" : "M", x.at(point.log2_step),
                           y.at(std::log10(error)));
    open = shown;
  }
  return steps;
}

void draw_taken(Drawing& drawing, const AuditFigures& figures, const Frame& frame,
                const AxisScale& x, const AxisScale& y) {
  const std::size_t order = place_of(figures.order);
  for (const SweepPoint& point : figures.sweep) {
    if (point.log2_step != figures.log2_step) continue;
    const double at = x.at(point.log2_step);
    drawing.line(at, frame.top, at, frame.bottom, "bound");
    if (point.error[order] > 0 && std::isfinite(point.error[order]))
      drawing.circle(at, y.at(std::log10(point.error[order])), 4, style_of(order, "fill"));
    const bool right = at > (frame.left + frame.right) / 2;
    drawing.text(at + (right ? -5 : 5), frame.top + 10, right ? "end" : "start",
                 fmt::format("taken: order {}, 2^{}", figures.order, figures.log2_step));
  }
}

void draw_legend(Drawing& drawing, const Frame& frame) {
  for (std::size_t k = 0; k < kOrders.size(); ++k) {
    const double x = frame.left + 4 + 70 * static_cast<double>(k);
    drawing.line(x, 266, x + 16, 266, style_of(k, "curve"));
    drawing.text(x + 20, 270, "start", fmt::format("order {}", kOrders[k]));
  }
  drawing.text(frame.right, 270, "end", "dashed: its own estimate");
}

}  // namespace

std::string v_curve(const Record& record) {
  const AuditFigures& figures = record.audit();
  const std::vector<SweepPoint> points = by_step(figures);
  Decades decades;
  for (const SweepPoint& point : points)
    for (std::size_t k = 0; k < kOrders.size(); ++k) {
      decades.add(point.error[k]);
      decades.add(point.own[k]);
    }
  if (!decades.any) return "";
  Frame frame;
  frame.bottom = 212;
  const auto [low, high] = decades.range();
  const AxisScale x(points.front().log2_step, points.back().log2_step, frame.left, frame.right);
  const AxisScale y(low, high, frame.bottom, frame.top);
  Drawing drawing(kPlotWidth, kPlotHeight, "V-curve of " + record.tensor);
  draw_decades_up(drawing, frame, y, "worst relative error");
  for (const int step : x.whole(8))
    drawing.text(x.at(step), frame.bottom + 15, "middle", fmt::format("{}", step));
  drawing.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  drawing.text((frame.left + frame.right) / 2, frame.bottom + 31, "middle",
               "log2 of the step over the scale of the value");
  for (std::size_t k = 0; k < kOrders.size(); ++k) {
    drawing.path(steps_of(points, k, true, x, y), style_of(k, "curve dashed"));
    drawing.path(steps_of(points, k, false, x, y), style_of(k, "curve"));
  }
  draw_taken(drawing, figures, frame, x, y);
  draw_legend(drawing, frame);
  return drawing.finish();
}

}  // namespace gradproof
