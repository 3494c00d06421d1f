// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/baseline/comparison.h"
#include "reports/formats/trend.h"
#include "reports/runs/store.h"
#include "reports/text/commands.h"
#include "reports/text/wrap.h"

namespace gradproof {

/// A run as reports show it.
struct ReportedRun {
  RunHeader header;
  std::optional<RunEnd> end;
  StoredRecords stored;

  /// The seconds by the clock from the run's start to its end, as the run itself said; for a run
  /// that did not come to its end, the sum over its Cases. commands() asks again what the run was
  /// asked, and names its worker.
  double seconds() const;
  Commands commands() const { return {program, worker_among(header.command)}; }
  std::string program = "gradproof";  ///< as who reports has started it
};

/// All facts of a report, in whatever form: the last check, the last audit, the comparison with a
/// baseline, and the runs before. At least one of the two runs is there.
struct Report {
  std::optional<ReportedRun> check;
  std::optional<ReportedRun> audit;
  std::optional<BaselineComparison> comparison;
  Trend trend;
  /// The path of a kernel's source, with {kernel} for its word: "kernels/{kernel}.cu". It is empty
  /// if nobody said so; then no format names a file.
  std::string source;
  /// Columns of a line of the format `text`.
  std::size_t width = kTextWidth;
};

/// The result of a report.
struct Conclusion {
  std::string word;      ///< PASSED, FAILED, REGRESSED, INCOMPLETE, BROKEN
  std::string sentence;  ///< "12 of 5000 tensors are wrong, in 2 kernels"
  Findings findings;
};
Conclusion conclusion_of(const Report& report);

/// A sentence on what the check's passes prove (reports/text/run_summary.h); empty without a check.
std::string proof_of(const Report& report);

/// The runs that the report has.
std::vector<const ReportedRun*> runs_of(const Report& report);

/// The commands of the first run, which a baseline is compared with.
Commands commands_of(const Report& report);

/// The facts of a run, by name: run, started, commit, host, device, toolkit, command, ...
std::vector<std::pair<std::string, std::string>> facts_of(const ReportedRun& run);

/// The Cases without a Record, and what no trusted pass proves, of both runs.
std::vector<std::string> gaps_of(const Report& report);

/// The command as it was typed, but without the program's folder.
std::string command_text(const std::vector<std::string>& words);

/// The file of a kernel, as `source` says; a mutant's is its kernel's. Empty where it says nothing.
std::string source_of(const Report& report, const std::string& kernel);

}  // namespace gradproof
