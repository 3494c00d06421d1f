// SPDX-License-Identifier: Apache-2.0
#include "reports/plots/drawing.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/text/safe_text.h"

namespace gradproof {
namespace {

constexpr double kSquare = 4;  ///< side of the squares that hold one point each

/// The number with at most one digit behind the point, which is finer than a screen shows.
std::string place(double value) { return fmt::format("{:.4g}", std::round(value * 10) / 10); }

}  // namespace

Drawing::Drawing(double width, double height, const std::string& title)
    : text_(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                        height, html_escaped(title))) {}

void Drawing::line(double x1, double y1, double x2, double y2, const std::string& style) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", place(x1),
                       place(y1), place(x2), place(y2), style);
}

void Drawing::box(double x, double y, double width, double height, const std::string& style) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>\n",
                       place(x), place(y), place(width), place(height), style);
}

void Drawing::circle(double x, double y, double radius, const std::string& style) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", place(x), place(y),
                       place(radius), style);
}

void Drawing::path(const std::string& steps, const std::string& style) {
  if (!steps.empty()) text_ += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", steps, style);
}

void Drawing::text(double x, double y, const std::string& anchor, const std::string& words,
                   const std::string& style) {
  text_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                       place(x), place(y), anchor, style, html_escaped(words));
}

void Drawing::upright(double x, double y, const std::string& words) {
  text_ += fmt::format(
      "<text transform=\"translate({},{}) rotate(-90)\" text-anchor=\"middle\" "
      "class=\"tick\">{}</text>\n",
      place(x), place(y), html_escaped(words));
}

std::string Drawing::finish() { return std::move(text_) + "</svg>\n"; }

void Points::add(double x, double y) {
  drawn_.emplace(static_cast<int>(std::lround(x / kSquare)),
                 static_cast<int>(std::lround(y / kSquare)));
}

std::string Points::steps() const {
  std::string steps;
  for (const auto& [x, y] : drawn_) steps += fmt::format("M{} {}h0", x * kSquare, y * kSquare);
  return steps;
}

AxisScale::AxisScale(double low, double high, double from, double to)
    : low_(low), high_(high > low ? high : low + 1), from_(from), to_(to) {}

std::vector<int> AxisScale::whole(int most) const {
  const int first = static_cast<int>(std::ceil(low_));
  const int last = static_cast<int>(std::floor(high_));
  const int stride = std::max(1, (last - first + most) / most);
  std::vector<int> marks;
  for (int mark = first; mark <= last; mark += stride) marks.push_back(mark);
  return marks;
}

void draw_decades_across(Drawing& drawing, const Frame& frame, const AxisScale& scale,
                         const std::string& label) {
  for (const int digit : scale.whole(7)) {
    drawing.line(scale.at(digit), frame.top, scale.at(digit), frame.bottom, "grid");
    drawing.text(scale.at(digit), frame.bottom + 16, "middle", fmt::format("1e{}", digit));
  }
  drawing.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  drawing.text((frame.left + frame.right) / 2, frame.bottom + 36, "middle", label);
}

void draw_decades_up(Drawing& drawing, const Frame& frame, const AxisScale& scale,
                     const std::string& label) {
  for (const int digit : scale.whole(8)) {
    drawing.line(frame.left, scale.at(digit), frame.right, scale.at(digit), "grid");
    drawing.text(frame.left - 6, scale.at(digit) + 4, "end", fmt::format("1e{}", digit));
  }
  drawing.line(frame.left, frame.top, frame.left, frame.bottom, "axis");
  drawing.upright(14, (frame.top + frame.bottom) / 2, label);
}

void Decades::add(double value) {
  if (!(value > 0) || !std::isfinite(value)) return;
  const double digit = std::log10(value);
  low = any ? std::min(low, std::floor(digit)) : std::floor(digit);
  high = any ? std::max(high, std::ceil(digit)) : std::ceil(digit);
  any = true;
}

std::pair<double, double> Decades::range() const { return {low, std::max(high, low + 1)}; }

}  // namespace gradproof
