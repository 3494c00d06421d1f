// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reports/formats/formats.h"
#include "reports/html/sections.h"
#include "reports/html/style.h"

namespace gradproof {
namespace {

/// Bytes: what a mail takes, and a phone draws at once.
constexpr std::size_t kLargestPage = 2'000'000;

std::string page(const Report& report, const std::vector<ReportedCause>& causes,
                 const PageLimits& limits) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>gradproof: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      conclusion_of(report).word, stylesheet());
  text += header_section(report, limits) + failures_section(causes, limits) +
          comparison_section(report, limits) + gaps_section(report, limits) +
          cells_section(report, limits) + plots_section(report, limits) +
          audit_section(report, limits) + facts_section(report, limits);
  return text + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string html(const Report& report) {
  const std::vector<ReportedCause> causes = reported_causes(report);
  PageLimits limits;
  std::string text = page(report, causes, limits);
  while (text.size() > kLargestPage && limits.words > 1) {
    limits = limits.halved();
    text = page(report, causes, limits);
  }
  return text;
}

}  // namespace gradproof
