// SPDX-License-Identifier: Apache-2.0
#include "cli/front/audit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/front/audit_arguments.h"
#include "cli/front/run_step.h"
#include "cli/front/started.h"
#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/case/law_key.h"
#include "core/error.h"
#include "reports/audit_curve.h"
#include "reports/record/audit_summary.h"
#include "reports/text/audit_text.h"

namespace gradproof {
namespace {

/// Up to this many cases every row is printed.
constexpr std::size_t kFewCases = 3;

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
      limits_(job_limits(options, planned)),
      left_out_(planned.left_out),
      loud_(options.verbose || cases_.size() <= kFewCases),
      progress_(cases_.size()),
      start_(Clock::now()) {
  if (!options.records.empty()) writer_.emplace(options.records, texts_of(cases_));
}

int AuditRun::run(Interrupt& interrupt) {
  run_step(progress_, findings_, [&] { audit_all(interrupt); });
  if (writer_) run_step(progress_, findings_, [this] { writer_->end(); });
  return finish();
}

void AuditRun::audit_all(Interrupt& interrupt) {
  std::vector<CaseAudit> audits(cases_.size());
  std::vector<Job> jobs;
  for (const Case& c : cases_) jobs.push_back(job_of(c));
  SessionPool pool(session_, interrupt, jobs, limits_,
                   [&](Session& session, const Turn& turn, const LineReader& read) {
                     CaseAudit& audit = audits[turn.job];
                     audit = ask_audit(session, cases_[turn.job], options_, turn, read);
                     if (audit.reply.killed && !turn.again) return Next::again;
                     return options_.fail_fast && audit.wrong() ? Next::stop : Next::more;
                   });
  const auto note = [this](std::size_t done, const std::string& line) {
    progress_.note(fmt::format("{}/{} cases, {}", done, cases_.size(), line));
  };
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    if (pool.wait(i, note)) take(cases_[i], std::exchange(audits[i], {}));
    if (options_.fail_fast && findings_.wrong) return;
  }
}

void AuditRun::take(const Case& c, const CaseAudit& audit) {
  const std::string text = to_string(c);
  const Reply& reply = audit.reply;
  findings_.wrong = findings_.wrong || audit.wrong();
  progress_.clear();
  if (audit.asked_again) complain(asked_again_text(text));
  print_trouble(text, reply);
  bool certified = !reply.audit.empty();
  for (const AuditRow& row : reply.audit) {
    certified = certified && row.verdict == "certified";
    records_.push_back({text, kernel_name(c), row});
    if (writer_ && !reply.interrupted) writer_->append(records_.back());
    if (options_.json) fmt::print("{}\n", audit_line(records_.back()));
  }
  findings_.incomplete = findings_.incomplete || !certified;
  if (!options_.json) print(text, reply.audit);
  flush_output();
  if (!reply.interrupted) ++done_;
}

void AuditRun::print_trouble(const std::string& text, const Reply& reply) {
  if (reply.failure) {
    const bool skip = reply.failure->kind == "skip";
    const bool named = reply.failure->text.find(text) != std::string::npos;
    complain(fmt::format("gradproof: {}{}{}", skip ? "skipped: " : "", reply.failure->text,
                         named ? "" : fmt::format(" in '{}'", text)));
    findings_.usage = findings_.usage || reply.failure->kind == "usage";
    findings_.infrastructure = findings_.infrastructure || reply.failure->kind == "instrument";
  }
  if (reply.lost) {
    complain(fmt::format("gradproof: {} {} in '{}'", name_of(reply.lost->outcome),
                         reply.lost->reason, text));
    // Where the kernel did not run, it was the instrument.
    findings_.infrastructure = true;
  }
  findings_.incomplete = findings_.incomplete || reply.interrupted;
}

void AuditRun::print(const std::string& text, const std::vector<AuditRow>& rows) const {
  std::vector<AuditRow> shown = rows;
  if (!loud_) std::erase_if(shown, [](const AuditRow& r) { return r.verdict == "certified"; });
  if (shown.empty()) return;
  fmt::print("{}\n{}", text, audit_table(shown));
  if (!options_.verbose && cases_.size() > 1) return;
  if (const AuditRow* row = row_to_plot(shown)) fmt::print("{}", curve_plot(*row));
}

int AuditRun::finish() {
  progress_.clear();
  if (done_ < cases_.size()) {
    findings_.incomplete = true;
    const std::string text =
        fmt::format("incomplete: {} of {} cases did not run", cases_.size() - done_, cases_.size());
    if (options_.json)
      complain("gradproof: " + text);
    else
      fmt::print("{}\n", text);
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
  Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  for (const Case& c : planned.cases) refuse_law(c, "gradients");
  if (!options.column.empty()) return audit_column(options, *session, planned);
  return AuditRun(options, *session, planned).run(interrupt);
}

}  // namespace gradproof
