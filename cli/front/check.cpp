// SPDX-License-Identifier: Apache-2.0
#include "cli/front/check.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/front/ask_check.h"
#include "cli/front/cases.h"
#include "cli/front/run_step.h"
#include "cli/front/shrinking.h"
#include "cli/front/started.h"
#include "cli/front/verbs.h"
#include "cli/process/session_pool.h"
#include "cli/protocol/peak_memory.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "reports/text/evidence.h"
#include "reports/text/overview.h"

namespace gradproof {
namespace {

/// Up to this many cases every tensor's evidence is printed.
constexpr std::size_t kFewCases = 3;
/// Of more, the worst failure of so many kernels' tensors.
constexpr std::size_t kShownWrong = 8;

/// What to ask next of a failure, a line each.
std::string next_commands(const Record& r) {
  if (r.discrepancy.bad == 0 || r.witness.starts_with("law ")) return "";
  const std::string audit =
      r.tensor.starts_with("d_") ? fmt::format("  audit: gradproof audit '{}'\n", r.case_text) : "";
  return fmt::format("  explain: gradproof explain '{}'\n", r.case_text) + audit;
}

bool is_wrong(const CheckReply& reply) {
  return std::any_of(reply.records.begin(), reply.records.end(),
                     [](const Record& r) { return is_wrong(r.verdict.outcome); });
}

}  // namespace

CheckRun::CheckRun(const Options& options, Session& session, const Planned& planned)
    : options_(options),
      session_(session),
      cases_(planned.cases),
      limits_(job_limits(options, planned)),
      left_out_(planned.left_out),
      loud_(options.verbose || cases_.size() <= kFewCases),
      progress_(cases_.size()),
      start_(Clock::now()) {
  if (!options.records.empty()) writer_.emplace(options.records, texts_of(cases_));
}

int CheckRun::run(Interrupt& interrupt) {
  const bool judged = run_step(progress_, findings_, [&] { judge_all(interrupt); });
  if (writer_) run_step(progress_, findings_, [this] { writer_->end(); });
  if (!loud_) print_overview();
  if (judged && !options_.no_shrink && !session_.interrupt().raised())
    run_step(progress_, findings_, [this] { shrink_failures(); });
  return finish();
}

void CheckRun::judge_all(Interrupt& interrupt) {
  std::vector<CheckReply> replies(cases_.size());
  std::vector<Job> jobs;
  for (const Case& c : cases_) jobs.push_back(job_of(c));
  const Detail detail = loud_ ? Detail::of_all : Detail::of_failures;
  SessionPool pool(session_, interrupt, jobs, limits_,
                   [&](Session& session, const Turn& turn, const LineReader&) {
                     CheckReply& reply = replies[turn.job];
                     reply = ask_check(session, cases_[turn.job], session.deadline_seconds(),
                                       detail, turn);
                     if (reply.killed && !turn.again) return Next::again;
                     return options_.fail_fast && is_wrong(reply) ? Next::stop : Next::more;
                   });
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    progress_.show(done_, records_.size());
    if (pool.wait(i, [](std::size_t, const std::string&) {}))
      take(cases_[i], std::exchange(replies[i], {}));
    if (options_.fail_fast && findings_.wrong) return;
  }
}

void CheckRun::take(const Case& c, const CheckReply& reply) {
  worker_peak_ = std::max(worker_peak_, reply.peak_bytes);
  if (reply.asked_again) {
    progress_.clear();
    complain(asked_again_text(to_string(c)));
  }
  if (!reply.usage_error.empty()) {
    progress_.clear();
    complain("gradproof: " + reply.usage_error);
    findings_.usage = true;
  }
  for (const Record& record : reply.records) {
    print(record);
    // Of a Case that was not judged to its end the records would show no gap.
    if (writer_ && !reply.interrupted) writer_->append(record);
    records_.push_back(record);
    if (!is_wrong(record.verdict.outcome)) continue;
    findings_.wrong = true;
    // Each step of a timeout would wait for the deadline, and what ran out of memory would again.
    if (record.verdict.outcome != Outcome::timed_out && !reply.killed)
      first_failures_.emplace(record.kernel, std::pair{c, record});
  }
  if (!reply.interrupted) ++done_;
}

void CheckRun::print(const Record& record) {
  const Outcome outcome = record.verdict.outcome;
  const bool later = outcome == Outcome::passed || outcome == Outcome::mistrusted;
  if (!loud_ && (later || is_wrong(outcome))) return;  // the overview has them
  progress_.clear();
  fmt::print("{}\n", evidence(record));
  flush_output();
}

void CheckRun::print_overview() {
  progress_.clear();
  const std::vector<Rollup> wrong = wrong_rollups(records_);
  for (const Rollup& rollup : wrong) fmt::print("WRONG  {}\n", rollup.text);
  for (std::size_t k = 0; k < std::min(wrong.size(), kShownWrong); ++k) {
    const Record& worst = *wrong[k].worst;
    fmt::print("{}\n{}", evidence(worst), next_commands(worst));
  }
  if (wrong.size() > kShownWrong)
    fmt::print("... and the worst of {} more; --verbose shows all\n", wrong.size() - kShownWrong);
  if (records_.empty()) return;
  for (const std::string& line : aligned(overview_rows(records_))) fmt::print("{}\n", line);
  if (const std::string weak = mistrusted_line(records_); !weak.empty())
    fmt::print("{}   (--verbose names them)\n", weak);
  flush_output();
}

/// The pool's workers ended with their threads: this one asks for shrinking alone.
void CheckRun::shrink_failures() {
  Session session(session_.program(), session_.deadline_seconds(), session_.interrupt());
  for (const auto& [kernel, failure] : first_failures_) {
    progress_.note(fmt::format("shrinking a failure of {}", kernel));
    shrink_one(session, failure.first, failure.second);
  }
}

void CheckRun::shrink_one(Session& session, const Case& c, const Record& failure) {
  const ShrinkBudget budget;
  const Shrunk shrunk = shrink_failure(session, c, failure, budget);
  progress_.clear();
  if (!shrunk.came_again) {
    fmt::print("not shrunk: {}   ({} passed when asked again)\n", replay_command(to_string(c)),
               failure.tensor);
    flush_output();
    return;
  }
  const std::string limit = shrunk.spent ? fmt::format("; budget of {} steps or {:g} s spent",
                                                       budget.steps, budget.seconds)
                                         : "";
  fmt::print("shrunk: {}   ({}, {} steps, {:.1f} s{})\n",
             replay_command(to_string(shrunk.smallest)), failure.tensor, shrunk.steps,
             shrunk.seconds, limit);
  flush_output();
}

int CheckRun::finish() {
  progress_.clear();
  Tally t = tally(records_);
  if (done_ < cases_.size() && !records_.empty())
    t.add_gap(fmt::format("{} of {} cases did not run", cases_.size() - done_, cases_.size()));
  for (const std::string& gap : t.gaps) fmt::print("incomplete: {}\n", gap);
  if (!left_out_.empty()) fmt::print("{}\n", left_out_);
  if (const std::string truth = truth_line(t); !truth.empty()) fmt::print("{}\n", truth);
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  fmt::print("peak memory {:.2f} GiB (worker), {:.2f} GiB (front)\n", worker_peak_ / kGiB,
             peak_memory() / kGiB);
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  fmt::print("{}\n", result_line(t, seconds.count()));
  Findings found = findings_of(t);
  found.usage = findings_.usage;
  found.infrastructure = found.infrastructure || findings_.infrastructure;
  return exit_code(found);
}

int run_check(const Options& options) {
  require_one_source(options);
  Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  return CheckRun(options, *session, planned).run(interrupt);
}

}  // namespace gradproof
