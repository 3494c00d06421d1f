// SPDX-License-Identifier: Apache-2.0
#include "reports/audit/audit_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/audit/audit_text.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

constexpr int kHeight = 12;         ///< lines of the plot
constexpr std::size_t kWidth = 72;  ///< signs that all steps share
constexpr std::size_t kLabel = 4;   ///< signs of a step's exponent, the blank before it included

constexpr double kPlateau = 10;  ///< errors up to this many times the floor belong to the plateau
constexpr double kSaturated = 0.01;  ///< larger errors follow no power of the step yet
constexpr int kFewest = 4;           ///< points for a slope
constexpr double kLeast = 1e-50;     ///< an error of 0 counts as this one

using Points = std::vector<std::pair<double, double>>;

double slope(const Points& points) {
  if (points.size() < kFewest) return std::numeric_limits<double>::quiet_NaN();
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

/// The number of signs for each step.
std::size_t width_of(const std::vector<SweepPoint>& points) {
  return std::clamp<std::size_t>(kWidth / points.size(), 1, kLabel);
}

bool is_shown(double error) { return error > 0 && std::isfinite(error); }

/// log10 of the errors that can be shown: the lowest and the highest line of the plot.
struct LineRange {
  double low = 0;
  double high = 0;

  LineRange(const std::vector<SweepPoint>& points, std::size_t order) {
    bool any = false;
    for (const SweepPoint& point : points)
      for (const double error : {point.error[order], point.own[order]}) {
        if (!is_shown(error)) continue;
        const double digit = std::log10(error);
        low = any ? std::min(low, digit) : digit;
        high = any ? std::max(high, digit) : digit;
        any = true;
      }
    low = std::floor(low);
    high = std::max(std::ceil(high), low + 1);
  }

  /// The line that an error is on, 0 at the top; -1 if it cannot be shown. An error of 0 is lowest.
  int line_of(double error) const {
    if (error == 0) return kHeight - 1;
    if (!is_shown(error)) return -1;
    return static_cast<int>(std::lround((high - std::log10(error)) / (high - low) * (kHeight - 1)));
  }
};

std::string plot_line(const std::vector<SweepPoint>& points, std::size_t order,
                      const LineRange& range, int line) {
  std::string text;
  for (const SweepPoint& point : points) {
    const bool error = range.line_of(point.error[order]) == line;
    const bool own = range.line_of(point.own[order]) == line;
    const char sign = error && own ? '*' : error ? 'o' : own ? '+' : ' ';
    text += std::string(width_of(points) - 1, ' ') + sign;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The steps' exponents as far as there is room, each ending beneath its point, and a mark at the
/// step that was taken.
std::string axis(const AuditFigures& figures, const std::vector<SweepPoint>& points) {
  const std::size_t width = width_of(points);
  std::string steps = std::string(kLabel, ' ') + std::string(points.size() * width, ' ');
  std::string mark;
  std::size_t free = 0;  // the first sign that no label has
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string label = fmt::format(" {}", points[i].log2_step);
    const std::size_t end = kLabel + (i + 1) * width;
    if (end >= free + label.size()) {
      steps.replace(end - label.size(), label.size(), label);
      free = end;
    }
    if (points[i].log2_step == figures.log2_step) mark = std::string(end - 1, ' ') + "^ taken\n";
  }
  steps.erase(steps.find_last_not_of(' ') + 1);
  const std::string margin(12 - kLabel, ' ');  // the labels' first may begin left of the axis
  return fmt::format("{}{}\n{}", "    2^  ", steps, mark.empty() ? "" : margin + mark);
}

/// True if the error against the adjoint stays where the differences' own estimate goes on to fall:
/// at its lowest it is over a thousand times the lowest estimate.
bool is_flat(const AuditFigures& figures) {
  const std::size_t order = place_of(figures.order);
  double error = INFINITY;
  double own = INFINITY;
  for (const SweepPoint& point : figures.sweep) {
    error = std::min(error, point.error[order]);
    own = std::min(own, point.own[order]);
  }
  return error > 1000 * own;
}

}  // namespace

std::size_t place_of(int order) {
  return static_cast<std::size_t>(std::clamp(order / 2, 1, 3) - 1);
}

std::vector<SweepPoint> by_step(const AuditFigures& figures) {
  std::vector<SweepPoint> points = figures.sweep;
  std::sort(points.begin(), points.end(),
            [](const SweepPoint& a, const SweepPoint& b) { return a.log2_step < b.log2_step; });
  return points;
}

CurveShape shape_of(const AuditFigures& figures) {
  CurveShape shape;
  const std::size_t order = place_of(figures.order);
  Points known;
  for (const SweepPoint& point : figures.sweep)
    if (std::isfinite(point.error[order]))
      known.emplace_back(point.log2_step, std::max(point.error[order], kLeast));
  if (known.empty()) return shape;
  const auto bottom = std::ranges::min(known, {}, &Points::value_type::second);
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

std::string curve_words(const AuditFigures& figures) {
  const CurveShape shape = shape_of(figures);
  const auto words = [](double value) {
    return std::isnan(value) ? std::string("unknown") : fmt::format("{:.1f}", value);
  };
  std::string text = fmt::format("slopes {} (rounding, left) and {} (truncation, right)",
                                 words(shape.left), words(shape.right));
  if (!std::isnan(shape.floor))
    text += fmt::format(", floor {}, {} step{} near it", brief(shape.floor), shape.plateau,
                        shape.plateau == 1 ? "" : "s");
  if (figures.wrong > 0)
    text += is_flat(figures) ? fmt::format(
                                   "; a flat line: the differences agree with themselves to {} "
                                   "digits and not with the adjoint",
                                   digits_text(figures.estimate))
                             : "; the wrong entries are none of those that were sampled";
  return text;
}

std::string curve_plot(const Record& row) {
  const AuditFigures& figures = row.audit();
  if (figures.sweep.empty()) return "";
  const std::vector<SweepPoint> points = by_step(figures);
  const std::size_t order = place_of(figures.order);
  const auto is_exact = [&](const SweepPoint& p) {
    return p.error[order] == 0 && p.own[order] == 0;
  };
  if (std::all_of(points.begin(), points.end(), is_exact))
    return fmt::format("  {}: no error at any step\n", row.tensor);
  const LineRange range(points, order);
  std::string text = fmt::format(
      "  {}, order {}: worst error of the sampled entries by step\n"
      "  o against the adjoint, + its own estimate, * both\n",
      row.tensor, figures.order);
  for (int line = 0; line < kHeight; ++line) {
    const double digit = range.high - (range.high - range.low) * line / (kHeight - 1);
    text += fmt::format("    {:>6} {}\n", fmt::format("1e{:.0f}", digit),
                        "|" + plot_line(points, order, range, line));
  }
  return text + axis(figures, points) + "    " + curve_words(figures) + "\n";
}

}  // namespace gradproof
