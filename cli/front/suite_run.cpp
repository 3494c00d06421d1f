// SPDX-License-Identifier: Apache-2.0
#include "cli/front/suite_run.h"

#include <algorithm>
#include <optional>
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
      scope_(planned.scope),
      loud_(options.verbose || std::cmp_less_equal(scope_.cases, kFewCases)),
      kept_(options, session, planned, measured),
      progress_(cases_.size()),
      start_(Clock::now()) {}

int SuiteRun::run(Interrupt& interrupt) {
  const bool asked = run_step([&] { ask_all(interrupt); });
  const bool whole = run_step([this] { kept_.rethrow_failure(); }) && asked;
  interrupted_ = interrupt.raised();
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
    fault_ = error.what();
    return false;
  }
}

void SuiteRun::ask_all(Interrupt& interrupt) {
  std::vector<CaseReply> replies(cases_.size());
  std::vector<std::size_t> asked;  // of each job its Case
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    replies[i].records = kept_.resumed(to_string(cases_[i]));
    replies[i].resumed = !replies[i].records.empty();
    if (replies[i].resumed) continue;
    asked.push_back(i);
    jobs.push_back(job_of(cases_[i]));
  }
  std::optional<SessionPool> pool;
  if (!jobs.empty())
    pool.emplace(session_, interrupt, jobs, limits_,
                 [&](Session& session, const Turn& turn, const LineReader& read) {
                   const std::size_t place = asked[turn.job];
                   return ask_and_keep(session, cases_[place], turn, read, replies[place]);
                 });
  const auto note = [&, before = cases_.size() - jobs.size()](std::size_t done,
                                                              const std::string& line) {
    progress_.note(fmt::format("{}/{} cases, {}", before + done, cases_.size(), line));
  };
  std::size_t job = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    progress_.show(done_, records_.size());
    if (replies[i].resumed || pool->wait(job++, note))
      take(cases_[i], std::exchange(replies[i], {}));
    if (options_.fail_fast && findings_.wrong) return;
  }
}

Next SuiteRun::ask_and_keep(Session& session, const Case& c, const Turn& turn,
                            const LineReader& read, CaseReply& reply) {
  reply = {};
  reply.interrupted = kept_.failed();  // what could not be kept is not asked for
  if (reply.interrupted) return Next::stop;
  reply = ask(session, c, turn, read);
  if (reply.killed && !turn.again) return Next::again;
  // Of a Case that was not judged to its end the records would show no gap.
  const bool whole = !reply.interrupted && reply.usage_error.empty();
  if (whole && !kept_.keep(reply.records)) {
    reply = {};  // what is not in the records is not printed either
    reply.interrupted = true;
    return Next::stop;
  }
  return options_.fail_fast && is_wrong(reply) ? Next::stop : Next::more;
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
  records_.insert(records_.end(), reply.records.begin(), reply.records.end());
  findings_.wrong = findings_.wrong || is_wrong(reply);
  if (!reply.interrupted) ++done_;
}

Tally SuiteRun::sum() const {
  const bool shard = !scope_.shards.empty();
  Tally t;
  // What a shard leaves unproved another one may prove: `merge` says it.
  if (!shard) t = tally(records_);
  for (const Record& record : records_)
    if (shard) t.add(record);
  if (done_ < cases_.size() && (shard || !records_.empty()))
    t.add_gap(fmt::format("{} of {} cases did not run", cases_.size() - done_, cases_.size()));
  return t;
}

int SuiteRun::finish() {
  progress_.clear();
  const Tally t = sum();
  Findings found = findings_of(t);
  found.usage = findings_.usage;
  found.infrastructure = found.infrastructure || findings_.infrastructure;
  if (!run_step([&] { kept_.end(end_of_run(t, exit_code(found))); })) found.infrastructure = true;
  for (const std::string& gap : t.gaps)
    options_.json ? complain("gradproof: incomplete: " + gap) : fmt::print("incomplete: {}\n", gap);
  if (!options_.json) {
    if (!left_out_.empty()) fmt::print("{}\n", left_out_);
    show_sums(t);
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    fmt::print("{}\n", result_line(t, seconds.count(), measured_));
  }
  return exit_code(found);
}

RunEnd SuiteRun::end_of_run(const Tally& tally, int code) const {
  RunEnd end;
  end.code = code;
  end.counts = tally;
  end.reason = fault_;
  if (!fault_.empty())
    end.how = "failed";
  else if (done_ == cases_.size())
    end.how = findings_.usage ? "incomplete" : "complete";
  else
    end.how = interrupted_ ? "interrupted" : "stopped";
  return end;
}

}  // namespace gradproof
