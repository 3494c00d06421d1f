// SPDX-License-Identifier: Apache-2.0
// The V-curve as text and as a picture.
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "reports/audit/audit_curve.h"
#include "reports/plots/plots.h"
#include "tests/support/audit/sample.h"
#include "tests/support/text.h"

namespace gradproof {
namespace {

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

TEST(VCurve, HasTheLinesAndTheStep) {
  const std::string picture = v_curve(record_of(sample_row()));
  EXPECT_TRUE(picture.starts_with("<svg viewBox="));
  EXPECT_TRUE(picture.ends_with("</svg>\n"));
  EXPECT_EQ(count_of(picture, "<path"), 6u);
  EXPECT_EQ(count_of(picture, "class=\"curve dashed"), 3u);
  EXPECT_TRUE(has(picture, "taken: order 4, 2^-20"));
  for (const std::string part : {"nan", "inf"}) EXPECT_FALSE(has(picture, part)) << part;
  EXPECT_EQ(v_curve(record_of(AuditRow())), "");
}

}  // namespace
}  // namespace gradproof
