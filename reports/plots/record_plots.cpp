// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "reports/plots/drawing.h"
#include "reports/plots/plots.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

constexpr std::size_t kUpToOne = 10;  ///< the bin (1/2, 1] of a histogram
constexpr std::size_t kSlowest = 10;  ///< bars of the plot of times

Histogram sum_of(const std::vector<Record>& records) {
  Histogram sum{};
  for (const Record& r : records)
    for (std::size_t bin = 0; bin < sum.size(); ++bin) sum[bin] += r.discrepancy().histogram[bin];
  return sum;
}

std::string bin_label(std::size_t bin) {
  if (bin == 0) return "0";
  if (bin == 15) return ">16";
  if (bin < kUpToOne)
    return fmt::format("2^{}", static_cast<int>(bin) - static_cast<int>(kUpToOne));
  return fmt::format("{}", 1 << (bin - kUpToOne));
}

/// log10 of a count, where 1 must show too.
double height_of(std::int64_t count) { return count > 0 ? std::log10(double(count)) + 0.3 : 0; }

double cut(double ratio) { return std::isfinite(ratio) ? ratio : 1e9; }

}  // namespace

std::string histogram_plot(const std::vector<Record>& records) {
  const Histogram sum = sum_of(records);
  const std::int64_t most = *std::max_element(sum.begin(), sum.end());
  if (most == 0) return "";
  const Frame frame;
  Drawing drawing(kPlotWidth, kPlotHeight, "Elements by error over bound");
  const AxisScale up(0, std::ceil(std::log10(double(most))) + 0.3, frame.bottom, frame.top);
  for (const int digit : AxisScale(0, std::ceil(std::log10(double(most))), 0, 1).whole(8)) {
    const double y = up.at(digit + 0.3);
    drawing.line(frame.left, y, frame.right, y, "grid");
    drawing.text(frame.left - 6, y + 4, "end", fmt::format("1e{}", digit));
  }
  const double width = (frame.right - frame.left) / 16;
  for (std::size_t bin = 0; bin < sum.size(); ++bin) {
    const double x = frame.left + width * static_cast<double>(bin);
    const double y = up.at(height_of(sum[bin]));
    if (sum[bin] > 0)
      drawing.box(x + 1, y, width - 2, frame.bottom - y, bin > kUpToOne ? "bad" : "series1");
    if (bin % 2 == 0 || bin == 15)
      drawing.text(x + width / 2, frame.bottom + 16, "middle", bin_label(bin));
  }
  const double bound = frame.left + width * (kUpToOne + 1);
  drawing.line(bound, frame.top, bound, frame.bottom, "bound");
  drawing.text(bound + 5, frame.top + 12, "start", "over the bound");
  drawing.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  drawing.text((frame.left + frame.right) / 2, frame.bottom + 36, "middle", "error/bound, up to");
  drawing.upright(14, (frame.top + frame.bottom) / 2, "elements");
  return drawing.finish();
}

std::string magnitude_plot(const std::vector<Record>& records) {
  std::vector<std::pair<double, double>> good, bad;
  for (const Record& r : records) {
    const Discrepancy& d = r.discrepancy();
    if (d.elements == 0) continue;
    std::vector<Element> elements{d.worst};
    elements.insert(elements.end(), d.first_bad.begin(), d.first_bad.end());
    elements.insert(elements.end(), d.last_bad.begin(), d.last_bad.end());
    for (const Element& e : elements)
      if (e.want != 0 && std::isfinite(e.want) && e.ratio > 0)
        (e.ratio > 1 ? bad : good).emplace_back(std::abs(e.want), cut(e.ratio));
  }
  if (good.empty() && bad.empty()) return "";
  Decades across, up;
  up.add(1);
  for (const auto* list : {&good, &bad})
    for (const auto& [want, ratio] : *list) {
      across.add(want);
      up.add(std::max(ratio, 1e-6));
    }
  const Frame frame;
  const auto [left, right] = across.range();
  const auto [low, high] = up.range();
  const AxisScale x(left, right, frame.left, frame.right);
  const AxisScale y(low, high, frame.bottom, frame.top);
  Drawing drawing(kPlotWidth, kPlotHeight, "Error over bound by the size of the truth");
  draw_decades_across(drawing, frame, x, "size of the truth");
  draw_decades_up(drawing, frame, y, "error/bound of the worst element");
  drawing.line(frame.left, y.at(0), frame.right, y.at(0), "bound");
  for (const auto& [list, style] : {std::pair{&good, "points1"}, {&bad, "pointsbad"}}) {
    Points points;
    for (const auto& [want, ratio] : *list)
      points.add(x.at(std::log10(want)), y.at(std::log10(std::max(ratio, 1e-6))));
    drawing.path(points.steps(), style);
  }
  return drawing.finish();
}

std::string time_plot(const std::vector<Record>& records) {
  std::map<std::pair<std::string, std::string>, double> seconds;
  const Record* previous = nullptr;
  for (const Record& r : records) {
    if (previous == nullptr || previous->case_text != r.case_text)
      seconds[{r.kernel, r.dtype}] += r.seconds;
    previous = &r;
  }
  std::vector<std::pair<double, std::string>> bars;
  for (const auto& [name, time] : seconds)
    bars.emplace_back(time, fmt::format("{} {}", name.first, name.second));
  std::stable_sort(bars.begin(), bars.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (bars.empty() || bars.front().first <= 0) return "";
  if (bars.size() > kSlowest) bars.resize(kSlowest);
  constexpr double kBar = 26;
  Drawing drawing(kPlotWidth, kBar * static_cast<double>(bars.size()) + 6,
                  "Seconds by kernel and type");
  const AxisScale across(0, bars.front().first, 0, kPlotWidth);
  for (std::size_t k = 0; k < bars.size(); ++k) {
    const double y = kBar * static_cast<double>(k);
    drawing.text(0, y + 12, "start", bars[k].second, "label");
    drawing.box(0, y + 15, std::max(1.0, across.at(bars[k].first)), 7, "series1");
    drawing.text(kPlotWidth, y + 12, "end", fmt::format("{} s", brief(bars[k].first)));
  }
  return drawing.finish();
}

std::string small_histogram(const Histogram& histogram) {
  std::string within, over;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin)
    if (histogram[bin] > 0)
      (bin > kUpToOne ? over : within) += fmt::format(
          "M{} 18v-{:.3g}", 2 + 4 * bin, std::min(17.0, 2 + 2 * height_of(histogram[bin])));
  if (within.empty() && over.empty()) return "";
  std::string text = "<svg class=\"small\" viewBox=\"0 0 64 20\" aria-hidden=\"true\">";
  text += "<path d=\"M44 0v20\" class=\"bound\"/>";
  if (!within.empty()) text += fmt::format("<path d=\"{}\" class=\"bar1\"/>", within);
  if (!over.empty()) text += fmt::format("<path d=\"{}\" class=\"barbad\"/>", over);
  return text + "</svg>";
}

}  // namespace gradproof
