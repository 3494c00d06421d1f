// SPDX-License-Identifier: Apache-2.0
// The page: what it says, how large it is, and whether all of its texts can be read.
#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/baseline/acceptance.h"
#include "reports/formats/formats.h"
#include "reports/html/style.h"
#include "reports/text/safe_text.h"
#include "tests/support/audit/sample.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

using Colours = std::map<std::string, std::string>;

/// The variables of the first block behind `start`.
Colours colours_behind(const std::string& css, const std::string& start) {
  const std::size_t from = css.find(start);
  EXPECT_NE(from, std::string::npos) << start;
  const std::string block = css.substr(from, css.find('}', from) - from);
  static const std::regex kVariable("--([a-z0-9]+):(#[0-9a-f]{6})");
  Colours colours;
  for (std::sregex_iterator it(block.begin(), block.end(), kVariable), end; it != end; ++it)
    colours[(*it)[1]] = (*it)[2];
  return colours;
}

/// Relative luminance, WCAG 2.2.
double luminance(const std::string& colour) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& a, const std::string& b) {
  const double one = luminance(a);
  const double other = luminance(b);
  return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

/// Texts of the stylesheet and what they may stand on: of a rule with a background that, else page
/// and panel.
std::set<std::pair<std::string, std::string>> text_pairs(const std::string& css) {
  static const std::regex kRule("([^{}]+)\\{([^{}]*)\\}");
  static const std::regex kColour("(^|;)(color|fill):var\\(--([a-z0-9]+)\\)");
  static const std::regex kBackground("background:var\\(--([a-z0-9]+)\\)");
  std::set<std::pair<std::string, std::string>> pairs;
  for (std::sregex_iterator it(css.begin(), css.end(), kRule), end; it != end; ++it) {
    const std::string body = (*it)[2];
    std::smatch colour, background;
    if (!std::regex_search(body, colour, kColour)) continue;
    if (std::regex_search(body, background, kBackground)) {
      pairs.emplace(colour[3], background[1]);
    } else {
      pairs.emplace(colour[3], "page");
      pairs.emplace(colour[3], "panel");
    }
  }
  return pairs;
}

// WCAG 2.2, success criterion 1.4.3, level AA: 4.5 to 1.
TEST(Html, EveryTextHasContrastInLightAndDark) {
  const std::string css = stylesheet();
  const auto pairs = text_pairs(css);
  ASSERT_GE(pairs.size(), 10u);
  for (const std::string scheme : {":root{color-scheme", "dark){:root{"}) {
    const Colours colours = colours_behind(css, scheme);
    for (const auto& [text, background] : pairs)
      EXPECT_GE(contrast(colours.at(text), colours.at(background)), 4.5)
          << text << " on " << background << " of " << scheme;
  }
}

TEST(Html, TheContrastIsThatOfWcag) {
  EXPECT_DOUBLE_EQ(contrast("#000000", "#ffffff"), 21);
  EXPECT_LT(contrast("#777777", "#ffffff"), 4.5)
      << "the control: the known first grey that is too light";
  EXPECT_GE(contrast("#767676", "#ffffff"), 4.5);
}

TEST(Html, WhatFailedComesFirstWithWhatToDo) {
  Report report = report_of({sample_pass(), sample_failure()});
  Record audited = record_of(wrong_row());
  audited.case_text = sample_failure().case_text;
  audited.verdict.reason = "kernel: term missing: mean(g)";
  report.audit = reported({audited}, Measured::differences);
  const std::string page = html(report);
  EXPECT_TRUE(has(page, "<span class=\"verdict fail\">FAILED</span>"));
  EXPECT_LT(page.find("What failed"), page.find("<h2>Tensors"));
  EXPECT_TRUE(has(page, "term missing: mean(g)"));
  const std::string text = html_escaped(sample_failure().case_text);
  EXPECT_TRUE(has(page, "<code>gradproof replay '" + text + "'</code>"));
  EXPECT_TRUE(has(page, "<code>gradproof explain '" + text + "' 'd_x[0,32]'</code>"));
  EXPECT_TRUE(has(page, "<code>gradproof audit '" + text + "'</code>"));
  EXPECT_TRUE(has(page, "Where in the tensor the wrong elements are"));
  for (const char* active : {"<script", "javascript:", "http://", "https://", "url("})
    EXPECT_FALSE(has(page, active)) << active;
  const std::string good = html(report_of({sample_pass()}));  // the control
  EXPECT_TRUE(has(good, "<span class=\"verdict pass\">PASSED</span>"));
  EXPECT_FALSE(has(good, "What failed"));
}

TEST(Html, TheNearestToTheBoundStandsFirst) {
  std::vector<Record> records;
  for (const double ratio : {0.25, 0.75, 0.5}) {
    records.push_back(sample_pass());
    records.back().kernel = fmt::format("kernel_{}", 100 * ratio);
    records.back().discrepancy().max_ratio = ratio;
  }
  const std::string page = html(report_of(records));
  const std::string table = page.substr(page.find("<section id=\"tensors\">"));
  EXPECT_LT(table.find("<td>kernel_75"), table.find("<td>kernel_50"));
  EXPECT_LT(table.find("<td>kernel_50"), table.find("<td>kernel_25"));
  EXPECT_TRUE(has(table, "The 3 with the fewest trusted passes"));
}

TEST(Html, RegressionsAreReachedFromTheFirstScreen) {
  const Record before = sample_pass();
  Record worse = before;
  worse.digest = "other";
  worse.discrepancy().max_ratio = 0.99;
  worse.discrepancy().rms_ratio = 0.75;
  Report report = report_of({worse});
  report.comparison = compare({worse}, make_baseline({before}, nullptr, {}), "some.baseline");
  const std::string page = html(report);
  const std::string header = page.substr(0, page.find("</header>"));
  EXPECT_TRUE(has(header, "<a class=\"tile\" href=\"#against\"><b class=\"warn-text\">1</b>"))
      << header;
  EXPECT_TRUE(has(page, "<section id=\"against\">"));
  report.comparison = compare({before}, make_baseline({before}, nullptr, {}), "some.baseline");
  EXPECT_FALSE(has(html(report), "href=\"#against\"")) << "the control: nothing regressed";
}

// Every link leads somewhere, and no id stands twice.
TEST(Html, LinksLeadToSections) {
  const std::string page = html(report_of({sample_pass(), sample_failure()}));
  static const std::regex kLink("href=\"#([a-z-]+)\"");
  std::size_t links = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), kLink), end; it != end; ++it, ++links) {
    const std::string id = " id=\"" + (*it)[1].str() + "\"";
    ASSERT_TRUE(has(page, id)) << id;
    EXPECT_EQ(page.find(id), page.rfind(id)) << id;
  }
  EXPECT_GE(links, 2u) << "what failed and what passed";
}

TEST(Html, ALongTableSaysThatItScrolls) {
  std::vector<Record> records;
  for (int k = 0; k < 40; ++k) {
    records.push_back(sample_pass());
    records.back().kernel = fmt::format("kernel{}", k);
  }
  EXPECT_TRUE(has(html(report_of(records)), "40 rows: scroll in the table for the others"));
  records.resize(4);  // the control
  EXPECT_FALSE(has(html(report_of(records)), "scroll in the table"));
}

TEST(Html, SpeaksNoFieldNames) {
  const std::string page = html(report_of({sample_pass(), sample_failure()}));
  for (const char* field : {"first_bad", "last_bad", "good_before", "worst_columns", "max_ratio"})
    EXPECT_FALSE(has(page, field)) << field;
  EXPECT_TRUE(has(page, "Where, by row and column")) << "the control: the pictures are there";
}

TEST(Html, TextIsNoMarkup) {
  Record r = sample_failure();
  r.case_text = "k set=<script>alert(1)</script>&\"";
  r.kernel = "<b>k</b>";
  r.verdict.reason = std::string("\x1b[31m\xff") + "<i>";
  const std::string page = html(report_of({r}));
  for (const char* markup : {"<script", "<b>k", "\x1b", "\xff"})
    EXPECT_FALSE(has(page, markup)) << markup;
  EXPECT_TRUE(has(page, "&lt;script&gt;alert(1)"));
}

TEST(Html, StaysBelowTwoMegabytes) {
  std::vector<Record> records;
  for (int k = 0; k < 3000; ++k) {
    records.push_back(k % 3 == 0 ? sample_failure() : sample_pass());
    records.back().kernel = fmt::format("kernel{}", k);
    records.back().case_text = fmt::format("kernel{} set={}", k, std::string(5000, '<'));
  }
  const std::string page = html(report_of(records));
  EXPECT_LE(page.size(), 2'000'000u);
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_TRUE(has(page, "--format json has all")) << "what is left out is said";
}

}  // namespace
}  // namespace gradproof
