// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gradproof {

/// A picture that stands in an HTML page, as SVG. Colours are the classes of the page's stylesheet
/// (reports/html/style.h), so that it follows light, dark and print.
class Drawing {
 public:
  /// `title` is what a screen reader says of it.
  Drawing(double width, double height, const std::string& title);

  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void box(double x, double y, double width, double height, const std::string& style);
  void circle(double x, double y, double radius, const std::string& style);
  void path(const std::string& steps, const std::string& style);
  /// `anchor`: start, middle or end.
  void text(double x, double y, const std::string& anchor, const std::string& words,
            const std::string& style = "tick");
  /// Writes the words turned by a quarter to the left, their middle at the point.
  void upright(double x, double y, const std::string& words);
  std::string finish();

 private:
  std::string text_;
};

/// Points that are drawn as one path, at most one in each square of 4: a picture has a size that no
/// number of points makes larger.
class Points {
 public:
  void add(double x, double y);
  bool empty() const { return drawn_.empty(); }
  /// Path steps; a line of no length with a round end is a point.
  std::string steps() const;

 private:
  std::set<std::pair<int, int>> drawn_;
};

/// The part of a picture in which figures are drawn.
struct Frame {
  double left = 58;
  double right = 428;
  double top = 12;
  double bottom = 228;
};
inline constexpr double kPlotWidth = 440;
inline constexpr double kPlotHeight = 272;

/// A mapping from a number to a place. The caller takes logarithms.
class AxisScale {
 public:
  AxisScale(double low, double high, double from, double to);
  double at(double value) const { return from_ + (to_ - from_) * (value - low_) / (high_ - low_); }
  /// At most `most` whole numbers of the range, evenly apart.
  std::vector<int> whole(int most) const;
  /// True if the value is within the range.
  bool has(double value) const { return value >= low_ && value <= high_; }

 private:
  double low_, high_, from_, to_;
};

/// Draw lines and labels "1e-3" of whole powers of ten, and the label of the axis.
void draw_decades_across(Drawing& drawing, const Frame& frame, const AxisScale& scale,
                         const std::string& label);
void draw_decades_up(Drawing& drawing, const Frame& frame, const AxisScale& scale,
                     const std::string& label);

/// The smallest and largest whole decade of positive numbers; 0 and numbers that are not finite are
/// left out.
struct Decades {
  double low = 0;
  double high = 0;
  bool any = false;

  void add(double value);
  /// The range, at least one decade.
  std::pair<double, double> range() const;
};

}  // namespace gradproof
