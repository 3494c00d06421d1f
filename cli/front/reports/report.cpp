// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include <fmt/format.h>

#include "cli/front/printed_commands.h"
#include "cli/front/reports/run_list.h"
#include "cli/front/reports/written.h"
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "core/error.h"
#include "reports/baseline/baseline_file.h"
#include "reports/formats/formats.h"

namespace gradproof {
namespace {

/// The run that was asked for, or the last of its kind.
std::optional<ReportedRun> chosen_run(const Options& options, Measured kind) {
  std::optional<StoredRun> run;
  if (options.run.empty())
    run = last_run(options.directory, kind);
  else if (StoredRun named = read_stored_run(options.directory, options.run);
           named.header.kind == kind)
    run = std::move(named);
  if (!run) return std::nullopt;
  ReportedRun reported{run->header, run->end, {}, program_as_started(options)};
  reported.stored = records_of(*std::move(run));
  return reported;
}

Report report_of(const Options& options) {
  Report report;
  report.source = options.source;
  // The baseline is read before anything else: a damaged file is an error and nothing more.
  std::optional<Baseline> baseline;
  if (!options.against.empty()) baseline = read_baseline(options.against);
  report.check = chosen_run(options, Measured::comparison);
  if ((baseline || !options.history.empty()) && !report.check)
    throw UsageError(no_check_in(options));
  report.audit = chosen_run(options, Measured::differences);
  if (runs_of(report).empty()) throw UsageError(fmt::format("no run in '{}'", options.directory));
  if (baseline)
    report.comparison = compare(report.check->stored.records, *baseline, options.against);
  if (!options.history.empty()) report.trend = trend_of(options.history, report.check->header);
  return report;
}

/// Whatever it shows is no fault of the report, but what is not there it cannot show. With a
/// baseline it is a gate.
int code_of(const Report& report) {
  if (report.comparison) return exit_code(conclusion_of(report).findings);
  Findings found;
  for (const ReportedRun* run : runs_of(report))
    found.incomplete = found.incomplete || !run->stored.incomplete.empty();
  return exit_code(found);
}

}  // namespace

int run_report(const Options& options) {
  if (options.runs) return list_runs(options.directory);
  const std::vector<ReportFormat> formats = parse_formats(options.format);
  const Destination destination(options.output, formats);
  Report report = report_of(options);
  if (options.output.empty()) report.width = output_width();
  for (const ReportFormat format : formats) destination.write(format, rendered(report, format));
  return code_of(report);
}

}  // namespace gradproof
