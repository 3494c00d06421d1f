// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/front/ask.h"
#include "cli/front/cases.h"
#include "cli/front/options.h"
#include "cli/front/runs/kept_run.h"
#include "cli/front/runs/known_failures.h"
#include "cli/front/terminal/failure_lines.h"
#include "cli/front/terminal/progress.h"
#include "cli/process/session_pool.h"
#include "reports/record/tally.h"

namespace gradproof {

/// One run over planned cases, of `check` or of `audit`: several workers are asked at once; what
/// they say is recorded as it comes and shown in the order of the cases, and the last line is
/// RESULT. What a resumed run has is shown as if it came now. What the verbs ask and show is
/// theirs. With --json there are no lines but JSON. How far the run is and the first failures stand
/// on standard error as they happen, in the order in which they do.
class SuiteRun {
 public:
  /// `sessions`: the worker that the Cases were planned with, and those that are begun beside it.
  SuiteRun(const Options& options, Sessions sessions, const Planned& planned, Measured measured);
  virtual ~SuiteRun() = default;
  SuiteRun(const SuiteRun&) = delete;
  SuiteRun& operator=(const SuiteRun&) = delete;

  /// Runs the cases and returns the exit code.
  int run(Interrupt& interrupt);
  const std::vector<Record>& records() const { return records_; }

 protected:
  /// Asks about a Case; runs on a pool's thread.
  virtual CaseReply ask(Session& session, const Case& c, const Turn& turn,
                        const LineReader& read) const = 0;
  /// True for a Case about which session() was asked before the run began.
  virtual bool is_begun(const Case&) const { return false; }
  /// Shows a Case whose turn has come; its Records are not among records() yet.
  virtual void show(const Case& c, const CaseReply& reply) = 0;
  /// Shows the end, when all that could be asked has been. `whole`: the run ended by itself.
  virtual void show_end(bool whole) = 0;
  /// Shows the lines before RESULT.
  virtual void show_sums(const Tally&) const {}

  /// Runs a step, and returns whether it ended by itself. An InstrumentError out of it is printed
  /// and counted as `infrastructure`, so that the run can still print what it has.
  bool run_step(const std::function<void()>& step);

  const Options& options() const { return options_; }
  Session& session() const { return *sessions_.front(); }
  const std::vector<Case>& cases() const { return cases_; }
  bool has_several_cases() const { return cases_.size() > 1; }
  bool is_loud() const { return loud_; }
  double worker_peak() const { return worker_peak_; }
  Progress& progress() { return progress_; }

 private:
  void ask_all(Interrupt& interrupt);
  /// True for the place of a further call's set.
  bool is_further(std::ptrdiff_t place) const { return place > 0 && place <= options_.further; }
  /// True for such a set where the first is wrong, which the same worker has judged.
  bool is_unneeded(const Case& c) const {
    return first_is_wrong_ && is_further(std::ranges::find(cases_, c) - cases_.begin());
  }
  /// Asks about a Case and keeps its Records; runs on a pool's thread.
  Next ask_and_keep(Session& session, const Case& c, const Turn& turn, const LineReader& read,
                    CaseReply& reply);
  void take(const Case& c, const CaseReply& reply);
  /// Shows the part of the Case's result that is to be seen at once.
  void tell(const Case& c, const std::vector<Record>& records);
  Tally sum() const;
  int finish();
  /// Says which known failures pass; true where one does.
  bool say_unexpected_passes();
  void show_sums_and_result(const Tally& tally) const;
  /// The last line of the records, which says how the run went.
  RunEnd end_of_run(const Tally& tally, int code) const;

  const Options& options_;
  const Sessions sessions_;
  const Measured measured_;
  std::vector<Case> cases_;
  JobLimits limits_;
  std::string left_out_;
  const Scope scope_;
  const bool loud_;  ///< everything about every tensor as it comes
  const KnownFailures known_failures_;
  KeptRun kept_;
  FailureLines failure_lines_;
  Progress progress_;
  Clock::time_point start_;
  std::vector<Record> records_;
  std::size_t done_ = 0;
  double worker_peak_ = 0;                    ///< bytes
  std::atomic<bool> first_is_wrong_ = false;  ///< the first Case's
  Findings findings_;
  bool interrupted_ = false;
  std::string fault_;  ///< of the infrastructure; the last
};

}  // namespace gradproof
