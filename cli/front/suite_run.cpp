// SPDX-License-Identifier: Apache-2.0
#include "cli/front/suite_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/front/printed_commands.h"
#include "cli/front/runs/run_facts.h"
#include "cli/front/terminal/json_lines.h"
#include "cli/front/terminal/paint.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"
#include "core/graph/graph_case.h"

namespace gradproof {
namespace {

/// Everything is shown of up to this many cases.
constexpr std::size_t kFewCases = 3;

bool has_wrong(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(),
                     [](const Record& r) { return is_wrong(r.verdict.outcome); });
}

/// The reason why the Cases, which are of inputs that a candidate's file brings, prove nothing;
/// empty if they have a trusted pass or a failure. Other inputs' proofs do not count.
std::string lack_of_own_inputs(const std::vector<std::string>& cases,
                               const std::vector<Record>& records) {
  const Record* doubted = nullptr;
  for (const Record& r : records) {
    if (std::find(cases.begin(), cases.end(), r.case_text) == cases.end()) continue;
    if (is_trusted(r) || is_wrong(r.verdict.outcome)) return "";
    if (doubted == nullptr && r.verdict.outcome == Outcome::mistrusted) doubted = &r;
  }
  if (doubted == nullptr) return "";
  return fmt::format("the file's own inputs have no trusted pass ({} {}: {})", doubted->tensor,
                     name_of(doubted->verdict.outcome), doubted->verdict.reason);
}

/// True for tensors that were made of the same numbers: a worker that judged the one has the truths
/// of the other.
bool has_same_inputs(const Case& a, const Case& b) {
  const auto has_inputs = [](const Case& c) {
    return has_given_tensors(c) && c.schema().has("inputs");
  };
  return has_inputs(a) && has_inputs(b) && a.text("inputs") == b.text("inputs");
}

WorkDone whole_of(const std::vector<Case>& cases) {
  WorkDone whole;
  whole.of_cases = cases.size();
  for (const Case& c : cases) whole.of_cost += cost_of(c);
  return whole;
}

}  // namespace

SuiteRun::SuiteRun(const Options& options, Sessions sessions, const Planned& planned,
                   Measured measured)
    : options_(options),
      sessions_(std::move(sessions)),
      measured_(measured),
      cases_(planned.cases),
      limits_(job_limits(options, planned)),
      left_out_(planned.left_out),
      scope_(planned.scope),
      loud_(options.verbose || (!options.quiet && std::cmp_less_equal(scope_.cases, kFewCases))),
      known_failures_(options.known_failures.empty() ? KnownFailures()
                                                     : KnownFailures(options.known_failures)),
      kept_(options, options.records.empty()
                         ? std::nullopt
                         : std::optional(identity_of_run(options, session(), planned, measured))),
      failure_lines_(commands_of(options)),
      progress_(options.quiet ? ProgressStyle::hidden : style_of_standard_error(),
                whole_of(cases_)),
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
    const auto held = progress_.hold();
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
    if (replies[i].resumed) {
      progress_.done(cost_of(cases_[i]), has_wrong(replies[i].records));
      continue;
    }
    asked.push_back(i);
    jobs.push_back(job_of(cases_[i]));
    jobs.back().begun = is_begun(cases_[i]);
    jobs.back().with_last =
        i > 0 && !replies[i - 1].resumed &&
        (is_further(static_cast<std::ptrdiff_t>(i)) || has_same_inputs(cases_[i - 1], cases_[i]));
  }
  std::optional<SessionPool> pool;
  if (!jobs.empty())
    pool.emplace(sessions_, interrupt, jobs, limits_,
                 [&](Session& session, const Turn& turn, const LineReader& read) {
                   const std::size_t place = asked[turn.job];
                   return ask_and_keep(session, cases_[place], turn, read, replies[place]);
                 });
  const auto note = [&](std::size_t, const std::string& line) { progress_.note(line); };
  std::size_t job = 0;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
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
  reply = is_unneeded(c) ? not_asked(session, c, "of a further call, and the first set is wrong")
                         : ask(session, c, turn, read);
  if (reply.killed && !turn.again) return Next::again;
  known_failures_.apply(reply.records);
  if (c == cases_.front()) first_is_wrong_ = has_wrong(reply.records);
  // The records of a Case that was not judged to its end would show no gap.
  const bool whole = !reply.interrupted && reply.usage_error.empty();
  if (whole && !kept_.keep(reply.records)) {
    reply = {};  // what is not in the records is not printed either
    reply.interrupted = true;
    return Next::stop;
  }
  if (whole) tell(c, reply.records);
  return options_.fail_fast && has_wrong(reply.records) ? Next::stop : Next::more;
}

void SuiteRun::take(const Case& c, const CaseReply& reply) {
  const std::string text = to_string(c);
  const auto held = progress_.hold();
  worker_peak_ = std::max(worker_peak_, reply.peak_bytes);
  if (reply.asked_again) complain(asked_again_text(text));
  if (!reply.usage_error.empty()) {
    const bool named = reply.usage_error.find(text) != std::string::npos;
    complain("gradproof: " + reply.usage_error + (named ? "" : " in '" + text + "'"));
    findings_.usage = true;
  }
  show(c, reply);
  flush_output();
  records_.insert(records_.end(), reply.records.begin(), reply.records.end());
  findings_.wrong = findings_.wrong || has_wrong(reply.records);
  if (!reply.interrupted) ++done_;
}

void SuiteRun::tell(const Case& c, const std::vector<Record>& records) {
  progress_.done(cost_of(c), has_wrong(records));
  if (cases_.size() <= kFewCases) return;  // they are printed at once
  if (const auto line = failure_lines_.of(records)) progress_.tell(*line);
}

Tally SuiteRun::sum() const {
  const bool shard = !scope_.shards.empty();
  Tally t;
  // Another shard may prove what this one leaves unproved: `merge` says it.
  if (!shard) t = tally(records_);
  for (const Record& record : records_)
    if (shard) t.add(record);
  if (const std::string lack = lack_of_own_inputs(options_.own_cases, records_); !lack.empty())
    t.add_gap(lack);
  if (done_ < cases_.size() && (shard || !records_.empty()))
    t.add_gap(fmt::format("{} of {} cases did not run", cases_.size() - done_, cases_.size()));
  return t;
}

int SuiteRun::finish() {
  const Tally t = sum();
  Findings found = findings_of(t);
  found.usage = findings_.usage;
  found.infrastructure = found.infrastructure || findings_.infrastructure;
  found.wrong = say_unexpected_passes() || found.wrong;
  if (!run_step([&] { kept_.end(end_of_run(t, exit_code(found))); })) found.infrastructure = true;
  const auto held = progress_.hold();
  show_sums_and_result(t);
  return exit_code(found);
}

bool SuiteRun::say_unexpected_passes() {
  const auto held = progress_.hold();
  const bool whole = scope_.shards.empty() && done_ == cases_.size();
  const auto passes = known_failures_.unexpected_passes(records_, whole);
  for (const std::string& text : passes)
    say(options_.json ? unexpected_pass_json(text) + "\n"
                      : fmt::format("unexpected pass: {}\n", text));
  return !passes.empty();
}

void SuiteRun::show_sums_and_result(const Tally& t) const {
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  if (options_.json) {
    for (const std::string& gap : t.gaps) fmt::print("{}\n", incomplete_json(gap));
    fmt::print("{}\n", result_json(t, seconds.count(), measured_));
    return;
  }
  for (const std::string& gap : t.gaps) say_filled(fmt::format("incomplete: {}\n", gap));
  if (!options_.quiet) {
    if (!left_out_.empty()) say_filled(left_out_ + "\n");
    if (!known_failures_.empty()) say_filled(known_failures_.summary(records_) + "\n");
    show_sums(t);
  }
  say(result_line(t, seconds.count(), measured_) + "\n");
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
