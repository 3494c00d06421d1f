// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/process/workers.h"
#include "cli/protocol/request.h"

namespace gradproof {

/// One function for each verb; the result is the exit code (docs/cli.md). Throw UsageError (2) and
/// InstrumentError (3).
int run_list(const Options& options);
int run_coverage(const Options& options);
int run_check(const Options& options);
int run_judge(const Options& options);
int run_inputs(const Options& options);
int run_python(const Options& options);
int run_replay(const Options& options);
int run_doctor(const Options& options);
int run_audit(const Options& options);
int run_bench(const Options& options);
int run_explain(const Options& options);
int run_calibrate(const Options& options);
int run_exhaustive(const Options& options);
int run_search(const Options& options);
int run_report(const Options& options);
int run_baseline_update(const Options& options);
int run_plan(const Options& options);
int run_merge(const Options& options);

/// Answers command lines from standard input until it ends (docs/cli.md).
int run_serve(const Options& options);

/// The Cases were judged so: the exit code, and a Record of each tensor.
struct CheckOutcome {
  int code = 0;
  std::vector<Record> records;
};

/// Judges Cases as run_check() does, with these workers: `begun` of them are begun before the first
/// Case is asked about. `early`: the first of them was asked so before.
CheckOutcome judged_cases(const Options& options, Workers& workers, std::size_t begun = 1,
                          const std::optional<CheckRequest>& early = std::nullopt);

/// The options of `check` that do what these of `judge` ask for.
Options check_of_given(const Options& options);

/// `check --python`: runs the file's candidate beside its reference, each in a process of its own,
/// and judges what both wrote as run_check() does.
int run_python_check(const Options& options);

/// `check --library`: an operator of LibTorch, forward and backward, judged likewise.
int run_library_check(const Options& options);
/// Prints the library's operators, or the mapping of one to a line.
int run_describe(const Options& options);

/// One set of given tensors, as paths.
struct GivenFiles {
  std::string inputs;   ///< tensors and cotangents
  std::string outputs;  ///< outputs and gradients
};

/// The Case that given files are under the options' line and contract: extents and dtype from their
/// shapes. Throws UsageError for files that do not fit the line.
std::string given_case(const Options& options, const GivenFiles& files);

/// Prints what the worker says to the request, line by line, and takes its exit code.
int relay(Session& session, const Options& options, const Request& request);

/// `audit --column x[3,7]`: the worker's own lines about one column of the Jacobian. Throws
/// UsageError unless there is exactly one case.
int audit_column(const Options& options, Session& session, const Planned& planned);

}  // namespace gradproof
