// SPDX-License-Identifier: Apache-2.0
#include "cli/front/suite_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace gradproof {
namespace {

/// Up to this many cases everything is shown.
constexpr std::size_t kFewCases = 3;

bool is_wrong(const CaseReply& reply) {
  return std::any_of(reply.records.begin(), reply.records.end(),
                     [](const Record& r) { return is_wrong(r.verdict.outcome); });
}

}  // namespace

SuiteRun::SuiteRun(const Options& options, Session& session, const Planned& planned,
                   Measured measured)
    : options_(options),
      session_(session),
      measured_(measured),
      cases_(planned.cases),
      limits_(job_limits(options, planned)),
      left_out_(planned.left_out),
      loud_(options.verbose || cases_.size() <= kFewCases),
      progress_(cases_.size()),
      start_(Clock::now()) {
  if (!options.records.empty()) writer_.emplace(options.records, measured, texts_of(cases_));
}

int SuiteRun::run(Interrupt& interrupt) {
  const bool whole = run_step([&] { ask_all(interrupt); });
  if (writer_) run_step([this] { writer_->end(); });
  run_step([&] { show_end(whole && !interrupt.raised()); });
  return finish();
}

bool SuiteRun::run_step(const std::function<void()>& step) {
  try {
    step();
    return true;
  } catch (const Interrupted&) {
    return false;  // what did not run is counted
  } catch (const InstrumentError& error) {
    progress_.clear();
    complain(std::string("gradproof: ") + error.what());
    findings_.infrastructure = true;
    return false;
  }
}

void SuiteRun::ask_all(Interrupt& interrupt) {
  std::vector<CaseReply> replies(cases_.size());
  std::vector<Job> jobs;
  for (const Case& c : cases_) jobs.push_back(job_of(c));
  SessionPool pool(session_, interrupt, jobs, limits_,
                   [&](Session& session, const Turn& turn, const LineReader& read) {
                     CaseReply& reply = replies[turn.job];
                     reply = ask(session, cases_[turn.job], turn, read);
                     if (reply.killed && !turn.again) return Next::again;
                     return options_.fail_fast && is_wrong(reply) ? Next::stop : Next::more;
                   });
  const auto note = [this](std::size_t done, const std::string& line) {
    progress_.note(fmt::format("{}/{} cases, {}", done, cases_.size(), line));
  };
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    progress_.show(done_, records_.size());
    if (pool.wait(i, note)) take(cases_[i], std::exchange(replies[i], {}));
    if (options_.fail_fast && findings_.wrong) return;
  }
}

void SuiteRun::take(const Case& c, const CaseReply& reply) {
  const std::string text = to_string(c);
  worker_peak_ = std::max(worker_peak_, reply.peak_bytes);
  progress_.clear();
  if (reply.asked_again) complain(asked_again_text(text));
  if (!reply.usage_error.empty()) {
    const bool named = reply.usage_error.find(text) != std::string::npos;
    complain("gradproof: " + reply.usage_error + (named ? "" : " in '" + text + "'"));
    findings_.usage = true;
  }
  show(c, reply);
  flush_output();
  for (const Record& record : reply.records) {
    // Of a Case that was not judged to its end the records would show no gap.
    if (writer_ && !reply.interrupted) writer_->append(record);
    records_.push_back(record);
  }
  findings_.wrong = findings_.wrong || is_wrong(reply);
  if (!reply.interrupted) ++done_;
}

int SuiteRun::finish() {
  progress_.clear();
  Tally t = tally(records_);
  if (done_ < cases_.size() && !records_.empty())
    t.add_gap(fmt::format("{} of {} cases did not run", cases_.size() - done_, cases_.size()));
  for (const std::string& gap : t.gaps)
    options_.json ? complain("gradproof: incomplete: " + gap) : fmt::print("incomplete: {}\n", gap);
  if (!options_.json) {
    if (!left_out_.empty()) fmt::print("{}\n", left_out_);
    show_sums(t);
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    fmt::print("{}\n", result_line(t, seconds.count(), measured_));
  }
  Findings found = findings_of(t);
  found.usage = findings_.usage;
  found.infrastructure = found.infrastructure || findings_.infrastructure;
  return exit_code(found);
}

}  // namespace gradproof
