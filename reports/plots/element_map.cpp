// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/plots/drawing.h"
#include "reports/plots/plots.h"

namespace gradproof {
namespace {

/// The tensor as a matrix: the last extent across, all others down.
struct Matrix {
  std::int64_t rows = 1;
  std::int64_t cols = 1;

  explicit Matrix(const Shape& shape) {
    if (!shape.empty()) cols = std::max<std::int64_t>(1, shape.back());
    rows = std::max<std::int64_t>(1, numel(shape) / cols);
  }
};

/// The place at which an element is drawn: a cell of its own size if there is room, else a point.
class Grid {
 public:
  Grid(const Matrix& matrix, const Frame& frame)
      : matrix_(matrix),
        frame_(frame),
        width_((frame.right - frame.left) / static_cast<double>(matrix.cols)),
        height_((frame.bottom - frame.top) / static_cast<double>(matrix.rows)) {}

  void mark(Drawing& drawing, std::int64_t index, const std::string& style) const {
    const double x = frame_.left + width_ * static_cast<double>(index % matrix_.cols);
    const double y = frame_.top + height_ * static_cast<double>(index / matrix_.cols);
    drawing.box(x, y, std::max(4.0, width_), std::max(4.0, height_), style);
  }
  double column(std::int64_t number) const {
    return frame_.left + width_ * (static_cast<double>(number) + 0.5);
  }
  double width() const { return std::clamp(width_, 3.0, 14.0); }

 private:
  Matrix matrix_;
  Frame frame_;
  double width_, height_;
};

/// Bars of the worst columns, in the strip above the map.
void draw_columns(Drawing& drawing, const Grid& grid, const Discrepancy& d, double bottom) {
  double largest = 1;
  for (const WorstColumn& c : d.worst_columns)
    if (std::isfinite(c.max_ratio)) largest = std::max(largest, c.max_ratio);
  const AxisScale up(0, std::log2(1 + largest), 0, 50);
  for (const WorstColumn& c : d.worst_columns) {
    const double ratio = std::isfinite(c.max_ratio) ? c.max_ratio : largest;
    const double height = up.at(std::log2(1 + ratio));
    drawing.box(grid.column(c.column) - grid.width() / 2, bottom - height, grid.width(), height,
                c.bad > 0 ? "bad" : "series1");
  }
}

}  // namespace

std::string element_map(const Record& record) {
  const Discrepancy& d = record.discrepancy();
  // If every element is wrong, or there is only one, a map shows nothing that is not said.
  if (d.bad == 0 || d.bad == d.elements || numel(record.shape) != d.elements) return "";
  const Matrix matrix(record.shape);
  Frame frame;
  const double bars = d.worst_columns.empty() ? 0 : 58;
  frame.top += bars;
  frame.bottom = frame.top + 154;
  const Grid grid(matrix, frame);
  Drawing drawing(kPlotWidth, frame.bottom + 22, "Where in the tensor the wrong elements are");
  draw_columns(drawing, grid, d, frame.top - 6);
  drawing.box(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top, "frame");
  for (const std::int64_t index : d.good_before) grid.mark(drawing, index, "good");
  for (const auto* list : {&d.first_bad, &d.last_bad})
    for (const Element& e : *list) grid.mark(drawing, e.index, "bad");
  grid.mark(drawing, d.worst.index, "bad");
  drawing.text(frame.left - 6, frame.top + 10, "end", "row 0");
  drawing.text(frame.left - 6, frame.bottom, "end", fmt::format("{}", matrix.rows - 1));
  drawing.text(frame.left, frame.bottom + 16, "start", "column 0");
  drawing.text(frame.right, frame.bottom + 16, "end", fmt::format("{}", matrix.cols - 1));
  return drawing.finish();
}

}  // namespace gradproof
