// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "reports/audit_curve.h"

namespace gradproof {
namespace {

constexpr double kWidth = 720, kHeight = 460;
constexpr double kLeft = 70, kRight = 590, kTop = 60, kBottom = 370;

struct Line {
  int order;
  const char* colour;
};
constexpr std::array<Line, 3> kLines{{{2, "#c44e52"}, {4, "#4c72b0"}, {6, "#2a8a4a"}}};

bool is_shown(double error) { return error > 0 && std::isfinite(error); }

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char sign : text) {
    if (sign == '&')
      safe += "&amp;";
    else if (sign == '<')
      safe += "&lt;";
    else if (sign == '>')
      safe += "&gt;";
    else
      safe += sign;
  }
  return safe;
}

/// Where a step and an error are on the page.
class Axes {
 public:
  explicit Axes(const std::vector<SweepPoint>& points)
      : first_(points.front().log2_step), last_(points.back().log2_step) {
    for (const SweepPoint& point : points)
      for (std::size_t k = 0; k < kLines.size(); ++k)
        for (const double error : {point.error[k], point.own[k]})
          if (is_shown(error)) {
            low_ = std::min(low_, std::floor(std::log10(error)));
            high_ = std::max(high_, std::ceil(std::log10(error)));
          }
    if (low_ >= high_) low_ = high_ - 1;
    if (first_ == last_) ++last_;
  }

  double x(int log2_step) const {
    return kLeft + (kRight - kLeft) * (log2_step - first_) / double(last_ - first_);
  }
  double y(double digit) const {
    return kTop + (kBottom - kTop) * (high_ - digit) / (high_ - low_);
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  int first_, last_;
  double low_ = 0, high_ = -60;
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string grid(const Axes& axes, const std::vector<SweepPoint>& points) {
  std::string text;
  const double stride = std::max(1.0, std::ceil((axes.high() - axes.low()) / 10));
  for (double digit = axes.high(); digit >= axes.low(); digit -= stride) {
    text += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
        kRight, axes.y(digit), axes.y(digit));
    text += text_at(kLeft - 8, axes.y(digit) + 4, "end", fmt::format("1e{:.0f}", digit));
  }
  const std::size_t step = std::max<std::size_t>(1, (points.size() + 11) / 12);
  for (std::size_t i = 0; i < points.size(); i += step)
    text += text_at(axes.x(points[i].log2_step), kBottom + 18, "middle",
                    fmt::format("{}", points[i].log2_step));
  text += text_at((kLeft + kRight) / 2, kBottom + 38, "middle",
                  "log2 of the step over the scale of the value");
  return text + fmt::format(
                    "<text transform=\"translate(18,{:.0f}) rotate(-90)\" "
                    "text-anchor=\"middle\">worst relative error</text>\n",
                    (kTop + kBottom) / 2);
}

/// A run of points that can be shown; a gap ends it.
std::string polyline(const Axes& axes, const std::vector<SweepPoint>& points, std::size_t k,
                     bool own) {
  std::string text;
  std::string run;
  const auto finish = [&] {
    if (!run.empty())
      text += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" {}/>\n", run,
                          kLines[k].colour,
                          own ? "stroke-width=\"1.2\" stroke-dasharray=\"4 3\" opacity=\"0.8\""
                              : "stroke-width=\"2\"");
    run.clear();
  };
  for (const SweepPoint& point : points) {
    const double error = own ? point.own[k] : point.error[k];
    if (is_shown(error))
      run += fmt::format("{}{:.1f},{:.1f}", run.empty() ? "" : " ", axes.x(point.log2_step),
                         axes.y(std::log10(error)));
    else
      finish();
  }
  finish();
  return text;
}

std::string taken(const Axes& axes, const std::vector<SweepPoint>& points,
                  const AuditFigures& figures) {
  const auto found = std::find_if(points.begin(), points.end(), [&](const SweepPoint& point) {
    return point.log2_step == figures.log2_step;
  });
  if (found == points.end()) return "";
  const double x = axes.x(figures.log2_step);
  std::string text = fmt::format(
      "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"#888\" "
      "stroke-dasharray=\"2 2\"/>\n",
      x, kTop, kBottom);
  const std::size_t k = place_of(figures.order);
  if (is_shown(found->error[k]))
    text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", x,
                        axes.y(std::log10(found->error[k])), kLines[k].colour);
  return text + text_at(x, kTop - 6, "middle",
                        fmt::format("taken: order {}, 2^{}", figures.order, figures.log2_step));
}

std::string legend() {
  std::string text;
  double y = kTop + 12;
  for (const Line& line : kLines) {
    for (const bool own : {false, true}) {
      text += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\" "
          "stroke-width=\"2\"{4}/>\n",
          kRight + 12, kRight + 36, y - 4, line.colour, own ? " stroke-dasharray=\"4 3\"" : "");
      text += text_at(kRight + 42, y, "start",
                      fmt::format("order {}{}", line.order, own ? ", own" : ""));
      y += 18;
    }
  }
  return text;
}

}  // namespace

std::string audit_svg(const Record& record) {
  const AuditFigures& figures = record.audit();
  const std::vector<SweepPoint> points = by_step(figures);
  if (points.empty()) return "";
  const Axes axes(points);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      kWidth, kHeight);
  text += text_at(kWidth / 2, 20, "middle", record.tensor + " of " + record.case_text);
  text += grid(axes, points);
  for (std::size_t k = 0; k < kLines.size(); ++k)
    text += polyline(axes, points, k, true) + polyline(axes, points, k, false);
  text += taken(axes, points, figures) + legend();
  const std::string words =
      fmt::format("{}: {}", name_of(record.verdict.outcome), curve_words(figures));
  const std::size_t half = words.find("; ");
  text += text_at(kLeft, kHeight - 30, "start", words.substr(0, half));
  if (half != std::string::npos)
    text += text_at(kLeft, kHeight - 12, "start", words.substr(half + 2));
  return text + "</svg>\n";
}

std::string svg_name(const Record& record) {
  constexpr std::size_t kLongest = 120;
  const std::string whole = record.case_text + " " + record.tensor;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: what the readable part leaves out
  for (const char sign : whole) hash = (hash ^ static_cast<unsigned char>(sign)) * 0x100000001b3;
  std::string name = record.case_text.substr(0, kLongest) + "-" + record.tensor;
  for (char& sign : name)
    if (!std::isalnum(static_cast<unsigned char>(sign)) && sign != '.' && sign != '-') sign = '_';
  return fmt::format("{}-{:08x}.svg", name, static_cast<std::uint32_t>(hash ^ (hash >> 32)));
}

}  // namespace gradproof
