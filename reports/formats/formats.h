// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reports/formats/report.h"

namespace gradproof {

enum class ReportFormat { text, markdown, html, junit, json, github, sarif };

/// "text", "markdown", "html", "junit", "json", "github", "sarif".
std::string_view name_of(ReportFormat format);
/// Reads a list with commas: "html,junit". Throws UsageError for a name that is none, or stands
/// twice.
std::vector<ReportFormat> parse_formats(std::string_view names);
/// The name of a file of this format, where a folder takes several: "report.html", "junit.xml".
std::string_view file_name(ReportFormat format);

/// The report in a format; each is written by the function below.
std::string rendered(const Report& report, ReportFormat format);

/// The report for a terminal: the verdict, all that did not pass, the comparison; then the tables
/// of all tensors, what the passes resolve, RESULT, and of an audit its summary.
std::string plain_text(const Report& report);

/// The report for a pull request, below the 65,536 characters that a comment may have: verdict,
/// what is wrong by cause, the comparison, tables folded away.
std::string markdown(const Report& report);

/// The report for a browser (docs/reports.md): one file below 2 MB, no scripts.
std::string html(const Report& report);

/// The report for a CI system's list of tests: a test case for each kernel's tensor in each dtype,
/// in a suite for check, audit and the comparison. Valid against tests/reports/junit/junit.xsd.
std::string junit(const Report& report);

/// The report for programs: everything, of Cases what is wrong and what changed.
std::string json_report(const Report& report);

/// Workflow commands of GitHub Actions: `::error title=...::...`, at most ten, as many as it shows.
std::string github_commands(const Report& report);

/// SARIF 2.1.0, for code scanning.
std::string sarif(const Report& report);

}  // namespace gradproof
