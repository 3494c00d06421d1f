// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "reports/plots/drawing.h"
#include "reports/plots/plots.h"

namespace gradproof {
namespace {

/// A ratio that is smaller, 0 too, is drawn there.
constexpr double kLeast = 1e-4;
constexpr std::size_t kLines = 6;  ///< kernels in the trend

double shown(double ratio) { return std::isfinite(ratio) ? std::max(ratio, kLeast) : 1e9; }

/// The styles by Change; unchanged comes first, so that the others lie above.
constexpr std::array<std::pair<Change, const char*>, 4> kStyles{{{Change::unchanged, "pointsmuted"},
                                                                 {Change::improved, "pointsgood"},
                                                                 {Change::regressed, "pointswarn"},
                                                                 {Change::failed, "pointsbad"}}};

/// The kernels whose error/bound was largest in any run, and that.
std::vector<std::pair<double, std::string>> worst_kernels(const Trend& trend) {
  std::map<std::string, double> largest;
  for (const TrendPoint& point : trend.points)
    for (const auto& [kernel, ratio] : point.max_ratio)
      largest[kernel] = std::max(largest[kernel], shown(ratio));
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [kernel, ratio] : largest) sorted.emplace_back(ratio, kernel);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (sorted.size() > kLines) sorted.resize(kLines);
  return sorted;
}

}  // namespace

std::string before_after_plot(const BaselineComparison& c) {
  Decades decades;
  decades.add(1);
  std::int64_t both = 0;
  for (const ChangedTensor& t : c.tensors) {
    if (!t.had() || !t.has() || t.now.worst.empty()) continue;
    ++both;
    decades.add(shown(t.before.max_ratio));
    decades.add(shown(t.now.max_ratio));
  }
  if (both == 0) return "";
  const Frame frame;
  const auto [low, high] = decades.range();
  const AxisScale x(low, high, frame.left, frame.right);
  const AxisScale y(low, high, frame.bottom, frame.top);
  Drawing drawing(kPlotWidth, kPlotHeight, "Error over bound before and now");
  draw_decades_across(drawing, frame, x, "error/bound before");
  draw_decades_up(drawing, frame, y, "error/bound now");
  drawing.line(x.at(low), y.at(low), x.at(high), y.at(high), "grid");
  drawing.line(frame.left, y.at(0), frame.right, y.at(0), "bound");
  for (const auto& [change, style] : kStyles) {
    Points points;
    for (const ChangedTensor& t : c.tensors)
      if (t.change == change && t.had() && t.has() && !t.now.worst.empty())
        points.add(x.at(std::log10(shown(t.before.max_ratio))),
                   y.at(std::log10(shown(t.now.max_ratio))));
    drawing.path(points.steps(), style);
  }
  return drawing.finish();
}

std::string trend_plot(const Trend& trend) {
  if (trend.points.size() < 2) return "";
  const auto kernels = worst_kernels(trend);
  Decades decades;
  decades.add(1);
  for (const TrendPoint& point : trend.points)
    for (const auto& [largest, kernel] : kernels)
      if (const auto found = point.max_ratio.find(kernel); found != point.max_ratio.end())
        decades.add(shown(found->second));
  const Frame frame;
  const auto [low, high] = decades.range();
  const double last = static_cast<double>(trend.points.size() - 1);
  const AxisScale x(0, last, frame.left + 8, frame.right - 8);
  const AxisScale y(low, high, frame.bottom, frame.top);
  const double height = kPlotHeight + 16 * static_cast<double>(kernels.size());
  Drawing drawing(kPlotWidth, height, "Largest error over bound of kernels over runs");
  draw_decades_up(drawing, frame, y, "largest error/bound");
  drawing.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  drawing.line(frame.left, y.at(0), frame.right, y.at(0), "bound");
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const std::string series = fmt::format("series{}", k + 1);
    std::string steps;
    for (std::size_t i = 0; i < trend.points.size(); ++i) {
      const auto found = trend.points[i].max_ratio.find(kernels[k].second);
      if (found == trend.points[i].max_ratio.end()) continue;
      const double at = y.at(std::log10(shown(found->second)));
      steps += fmt::format("{}{:.4g} {:.4g}", steps.empty() ? "M" : "L", x.at(double(i)), at);
      drawing.circle(x.at(double(i)), at, 2.5, "fill " + series);
    }
    drawing.path(steps, "curve " + series);
    const double row = kPlotHeight + 16 * static_cast<double>(k);
    drawing.line(frame.left, row - 4, frame.left + 16, row - 4, "curve " + series);
    drawing.text(frame.left + 22, row, "start", kernels[k].second);
  }
  drawing.text(frame.left, frame.bottom + 16, "start", trend.points.front().started.substr(0, 10));
  drawing.text(frame.right, frame.bottom + 16, "end", trend.points.back().started.substr(0, 10));
  drawing.text((frame.left + frame.right) / 2, frame.bottom + 34, "middle",
               fmt::format("{} runs, the oldest on the left", trend.points.size()));
  return drawing.finish();
}

}  // namespace gradproof
