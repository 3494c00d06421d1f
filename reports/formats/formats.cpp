// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/formats.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/error.h"

namespace gradproof {
namespace {

struct Row {
  ReportFormat format;
  std::string_view name;
  std::string_view file;
  std::string (*render)(const Report&);
};

constexpr std::array kRows{
    Row{ReportFormat::text, "text", "report.txt", plain_text},
    Row{ReportFormat::markdown, "markdown", "report.md", markdown},
    Row{ReportFormat::html, "html", "report.html", html},
    Row{ReportFormat::junit, "junit", "junit.xml", junit},
    Row{ReportFormat::json, "json", "report.json", json_report},
    Row{ReportFormat::github, "github", "github.txt", github_commands},
    Row{ReportFormat::sarif, "sarif", "report.sarif", sarif},
};

const Row& row_of(ReportFormat format) { return kRows[static_cast<std::size_t>(format)]; }

ReportFormat parse_format(std::string_view name) {
  std::string known;
  for (const Row& row : kRows) {
    if (row.name == name) return row.format;
    known += fmt::format(" {}", row.name);
  }
  throw UsageError(fmt::format("--format: unknown format '{}'; known:{}", name, known));
}

}  // namespace

std::string_view name_of(ReportFormat format) { return row_of(format).name; }
std::string_view file_name(ReportFormat format) { return row_of(format).file; }

std::vector<ReportFormat> parse_formats(std::string_view names) {
  std::vector<ReportFormat> formats;
  for (bool more = true; more;) {
    const std::size_t comma = names.find(',');
    const ReportFormat format = parse_format(names.substr(0, comma));
    if (std::find(formats.begin(), formats.end(), format) != formats.end())
      throw UsageError(fmt::format("--format: '{}' stands twice", name_of(format)));
    formats.push_back(format);
    more = comma != std::string_view::npos;
    if (more) names.remove_prefix(comma + 1);
  }
  return formats;
}

std::string rendered(const Report& report, ReportFormat format) {
  return row_of(format).render(report);
}

}  // namespace gradproof
