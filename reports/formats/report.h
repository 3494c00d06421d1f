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

  /// To ask once more what the run was asked: its worker is named.
  /// By the clock from its start to its end, as the run itself said; of one that did not come to
  /// its end the sum over its Cases.
  double seconds() const;
  Commands commands() const { return {program, worker_among(header.command)}; }
  std::string program = "gradproof";  ///< as who reports has started it
};

/// All that a report says, in whatever form: the last check, the last audit, what became of a
/// baseline, and how runs before were. One of the runs is there.
struct Report {
  std::optional<ReportedRun> check;
  std::optional<ReportedRun> audit;
  std::optional<BaselineComparison> comparison;
  Trend trend;
  /// Where the source of a kernel lies, with {kernel} for its word: "kernels/{kernel}.cu". Empty:
  /// nobody said so, and no format names a file.
  std::string source;
  /// Columns of a line of the format `text`.
  std::size_t width = kTextWidth;
};

/// What a report comes to.
struct Conclusion {
  std::string word;      ///< PASSED, FAILED, REGRESSED, INCOMPLETE, BROKEN
  std::string sentence;  ///< "12 of 5000 tensors are wrong, in 2 kernels"
  Findings findings;
};
Conclusion conclusion_of(const Report& report);

/// What the passes of the check prove (reports/text/run_summary.h); empty without a check.
std::string proof_of(const Report& report);

/// The runs that there are.
std::vector<const ReportedRun*> runs_of(const Report& report);

/// The commands of the first run, which a baseline is compared with.
Commands commands_of(const Report& report);

/// What is known of a run, by name: run, started, commit, host, device, toolkit, command, ...
std::vector<std::pair<std::string, std::string>> facts_of(const ReportedRun& run);

/// The Cases of which nothing is there, and what no trusted pass proves, of both runs.
std::vector<std::string> gaps_of(const Report& report);

/// As it was typed, but for the program's folder.
std::string command_text(const std::vector<std::string>& words);

/// The file of a kernel, as `source` says; a mutant's is its kernel's. Empty where it says nothing.
std::string source_of(const Report& report, const std::string& kernel);

}  // namespace gradproof
