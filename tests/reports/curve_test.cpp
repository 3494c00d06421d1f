// SPDX-License-Identifier: Apache-2.0
// The V-curve as text and as a picture.
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "reports/audit_curve.h"
#include "reports/audit_svg.h"
#include "tests/support/audit/sample.h"

namespace gradproof {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
    ++count;
  return count;
}

/// The sign in the plot of the point at a step: its line counted from the top, and which.
std::pair<int, char> sign_at(const std::string& plot, std::size_t point) {
  std::istringstream lines(plot);
  std::string line;
  for (int title = 0; title < 2; ++title) std::getline(lines, line);
  for (int number = 0; std::getline(lines, line); ++number) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) break;
    const std::size_t at = bar + 4 * (point + 1);
    if (at < line.size() && (line[at] == 'o' || line[at] == '*')) return {number, line[at]};
  }
  return {-1, ' '};
}

TEST(AuditCurve, TheTextPlotIsAVAndMarksTheStep) {
  const std::string plot = curve_plot(record_of(sample_row()));
  const int left = sign_at(plot, 0).first;    // 2^-40
  const int valley = sign_at(plot, 5).first;  // 2^-20
  const int right = sign_at(plot, 10).first;  // 2^0
  EXPECT_GE(left, 0) << plot;
  EXPECT_GT(valley, left) << plot;
  EXPECT_GT(valley, right) << plot;
  EXPECT_TRUE(has(plot, "^ taken")) << plot;
  EXPECT_TRUE(has(plot, "slopes -1.0 (rounding, left) and 4.0 (truncation, right)")) << plot;
  EXPECT_TRUE(has(plot, "2 steps near it")) << plot;
  for (const std::string part : {"flat", "nan", "inf"}) EXPECT_FALSE(has(plot, part)) << plot;
  EXPECT_EQ(curve_plot(record_of(AuditRow())), "");
  AuditRow exact = sample_row();
  for (SweepPoint& point : exact.sweep) point.error = point.own = {0, 0, 0};
  EXPECT_EQ(curve_plot(record_of(exact)), "  d_x: no error at any step\n");
}

TEST(AuditCurve, ManyStepsFitTheTerminal) {
  AuditRow row = sample_row();
  row.sweep.clear();
  for (int step = -50; step <= 0; ++step)
    row.sweep.push_back({step, {1e-3, 1e-3, 1e-3}, {1e-3, 1e-3, 1e-3}});
  row.log2_step = -50;
  std::istringstream lines(curve_plot(record_of(row)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(has(curve_plot(record_of(row)), " -50 -46 -42 ")) << curve_plot(record_of(row));
}

TEST(AuditCurve, AWrongGradientIsAFlatLine) {
  AuditRow row = wrong_row();
  for (SweepPoint& point : row.sweep) point.error = {1e-3, 1e-3, 1e-3};
  const std::string plot = curve_plot(record_of(row));
  for (std::size_t i = 1; i < row.sweep.size(); ++i)
    EXPECT_EQ(sign_at(plot, i).first, sign_at(plot, 0).first) << plot;
  EXPECT_TRUE(has(plot, "a flat line: the differences agree with themselves to 29.0 digits"));
  // The control: a V, although entries elsewhere are wrong.
  const std::string other = curve_plot(record_of(wrong_row()));
  EXPECT_FALSE(has(other, "flat")) << other;
  EXPECT_TRUE(has(other, "none of those that were sampled")) << other;
}

TEST(AuditSvg, HasTheLinesTheStepAndTheTitle) {
  Record record = record_of(sample_row());
  record.case_text = "sample fill=<a&b>";
  const std::string picture = audit_svg(record);
  EXPECT_TRUE(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_EQ(count_of(picture, "<polyline"), 6u);
  EXPECT_EQ(count_of(picture, "stroke-dasharray=\"4 3\" opacity"), 3u);
  EXPECT_TRUE(has(picture, "taken: order 4, 2^-20"));
  EXPECT_TRUE(has(picture, "d_x of sample fill=&lt;a&amp;b&gt;"));
  for (const std::string part : {"nan", "inf", "fill=<a"}) EXPECT_FALSE(has(picture, part)) << part;
  EXPECT_EQ(audit_svg(record_of(AuditRow())), "");
}

TEST(AuditSvg, NamesAreSafeAndDiffer) {
  Record one = record_of(sample_row());
  one.case_text = "sample set=x@3,7:0x1p3;dy@0/1:nan " + std::string(400, 'a');
  Record two = one;
  two.case_text += "b";
  EXPECT_NE(svg_name(one), svg_name(two));
  EXPECT_LT(svg_name(one).size(), 200u);
  EXPECT_EQ(svg_name(one).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-."),
            std::string::npos)
      << svg_name(one);
}

}  // namespace
}  // namespace gradproof
