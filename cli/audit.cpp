// SPDX-License-Identifier: Apache-2.0
#include "cli/audit.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/audit_arguments.h"
#include "cli/audit_verdict.h"
#include "cli/places.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "reports/audit_curve.h"
#include "reports/audit_summary.h"
#include "reports/audit_text.h"

namespace gradproof {
namespace {

/// Up to this many cases every row is printed.
constexpr std::size_t kFewCases = 3;

/// Beyond the deadline, for each element of x: about three times what differences of all entries
/// at 33 digits take on one core.
constexpr double kSecondsPerElement = 3e-3;

std::string kernel_name(const Case& c) {
  const bool mutant = c.schema().has("mutant") && !c.is("mutant", "none");
  return c.word() + (mutant ? "/" + c.text("mutant") : "");
}

/// The row whose curve is shown: the first that is not certified, else the first that has one.
const AuditRow* row_to_plot(const std::vector<AuditRow>& rows) {
  const AuditRow* found = nullptr;
  for (const AuditRow& row : rows) {
    if (row.sweep.empty()) continue;
    if (row.verdict != "certified") return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

}  // namespace

AuditRun::AuditRun(const Options& options, Session& session, const Planned& planned)
    : options_(options),
      session_(session),
      cases_(planned.cases),
      left_out_(planned.left_out),
      loud_(options.verbose || cases_.size() <= kFewCases),
      progress_(cases_.size()),
      start_(Clock::now()) {
  if (!options.records.empty()) writer_.emplace(options.records);
}

int AuditRun::run() {
  try {
    for (const Case& c : cases_) {
      if (session_.interrupt().raised() || (options_.fail_fast && findings_.wrong)) break;
      audit_one(c);
    }
  } catch (const InstrumentError& error) {
    // What was found until now is still told.
    progress_.clear();
    fmt::print(stderr, "gradproof: {}\n", error.what());
    findings_.infrastructure = true;
  }
  return finish();
}

Reply AuditRun::ask(const Case& c, const std::vector<std::string>& more, std::string& stage) {
  Request request{"audit", to_string(c), audit_arguments(options_)};
  request.arguments.insert(request.arguments.end(), more.begin(), more.end());
  const double deadline = session_.deadline_seconds() + kSecondsPerElement * elements_of(c);
  return session_.ask(request, deadline, [&](const std::string& line) {
    stage = line;
    progress_.note(
        fmt::format("{}/{} cases, {} rows, {}", done_, cases_.size(), records_.size(), line));
  });
}

void AuditRun::audit_one(const Case& c) {
  std::string stage;
  Reply reply = ask(c, {}, stage);
  if (reply.lost && stage == kKernel && reply.lost->outcome != Outcome::instrument_broken) {
    // The kernel's own end; the differences need no kernel.
    AuditWitness kernel;
    kernel.name = "kernel";
    kernel.verdict = "wrong";
    kernel.text = fmt::format("{} {}", name_of(reply.lost->outcome), reply.lost->reason);
    findings_.wrong = true;
    reply = ask(c, {"kernel=no"}, stage);
    for (AuditRow& row : reply.audit) {
      row.witnesses.insert(row.witnesses.begin(), kernel);
      settle(row);
    }
  }
  take(c, reply);
}

void AuditRun::take(const Case& c, const Reply& reply) {
  const std::string text = to_string(c);
  progress_.clear();
  tell_trouble(text, reply);
  bool certified = !reply.audit.empty();
  for (const AuditRow& row : reply.audit) {
    findings_.wrong = findings_.wrong || row.verdict == "wrong";
    certified = certified && row.verdict == "certified";
    records_.push_back({text, kernel_name(c), row});
    if (writer_) writer_->append(records_.back());
    if (options_.json) fmt::print("{}\n", audit_line(records_.back()));
  }
  findings_.incomplete = findings_.incomplete || !certified;
  if (!options_.json) tell(text, reply.audit);
  std::fflush(stdout);
  if (!reply.interrupted) ++done_;
}

void AuditRun::tell_trouble(const std::string& text, const Reply& reply) {
  if (reply.failure) {
    const bool skip = reply.failure->kind == "skip";
    fmt::print(stderr, "gradproof: {}{} in '{}'\n", skip ? "skipped: " : "", reply.failure->text,
               text);
    findings_.usage = findings_.usage || reply.failure->kind == "usage";
    findings_.infrastructure = findings_.infrastructure || reply.failure->kind == "instrument";
  }
  if (reply.lost) {
    fmt::print(stderr, "gradproof: {} {} in '{}'\n", name_of(reply.lost->outcome),
               reply.lost->reason, text);
    // Where the kernel did not run, it was the instrument.
    findings_.infrastructure = true;
  }
  findings_.incomplete = findings_.incomplete || reply.interrupted;
}

void AuditRun::tell(const std::string& text, const std::vector<AuditRow>& rows) const {
  std::vector<AuditRow> told = rows;
  if (!loud_) std::erase_if(told, [](const AuditRow& r) { return r.verdict == "certified"; });
  if (told.empty()) return;
  fmt::print("{}\n{}", text, audit_table(told));
  if (!options_.verbose && cases_.size() > 1) return;
  if (const AuditRow* row = row_to_plot(told)) fmt::print("{}", curve_plot(*row));
}

int AuditRun::finish() {
  progress_.clear();
  if (writer_) writer_->finish();
  if (done_ < cases_.size()) {
    findings_.incomplete = true;
    fmt::print(stderr, "gradproof: incomplete: {} of {} cases did not run\n", cases_.size() - done_,
               cases_.size());
  }
  if (!options_.json) {
    if (cases_.size() > 1 && !records_.empty())
      for (const std::string& line : aligned(audit_summary(records_))) fmt::print("{}\n", line);
    if (!left_out_.empty()) fmt::print("{}\n", left_out_);
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    fmt::print("{}\n", result_line(tally(records_), seconds.count()));
  }
  return exit_code(findings_);
}

int run_audit(const Options& options) {
  require_one_source(options);
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  const Planned planned = planned_cases(options, session.schemas());
  if (!options.column.empty()) return audit_column(options, session, planned);
  return AuditRun(options, session, planned).run();
}

}  // namespace gradproof
