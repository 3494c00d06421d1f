// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/front/started.h"
#include "cli/front/suite_run.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/terminal/width.h"
#include "cli/front/verbs.h"
#include "cli/protocol/standard_streams.h"
#include "core/case/law_key.h"
#include "reports/audit/audit_curve.h"
#include "reports/audit/audit_summary.h"
#include "reports/audit/audit_text.h"
#include "reports/record/record_json.h"

namespace gradproof {
namespace {

bool is_certified(const Record& row) { return row.verdict.outcome == Outcome::certified; }

/// The row whose curve is shown: the first that is not certified, else the first that has one.
const Record* row_to_plot(const std::vector<Record>& rows) {
  const Record* found = nullptr;
  for (const Record& row : rows) {
    if (row.audit().sweep.empty()) continue;
    if (!is_certified(row)) return &row;
    if (found == nullptr) found = &row;
  }
  return found;
}

/// Tables of each Case's rows as they come, of many cases those that are not certified, and a
/// summary at the end; or a line of JSON for each row.
class AuditRun : public SuiteRun {
 public:
  AuditRun(const Options& options, const std::shared_ptr<Session>& session, const Planned& planned)
      : SuiteRun(options, {session}, planned, Measured::differences) {}

 private:
  CaseReply ask(Session& session, const Case& c, const Turn& turn,
                const LineReader& read) const override;
  void show(const Case& c, const CaseReply& reply) override;
  void show_end(bool whole) override;

  void print(const std::string& text, std::vector<Record> rows) const;
};

CaseReply AuditRun::ask(Session& session, const Case& c, const Turn& turn,
                        const LineReader& read) const {
  AuditRequest request;
  request.entries = options().entries;
  request.digits = options().digits;
  request.direct = options().direct;
  return ask_audit(session, c, std::move(request), turn, read);
}

void AuditRun::show(const Case& c, const CaseReply& reply) {
  const std::string text = to_string(c);
  for (const Record& row : reply.records) {
    const bool skipped = row.verdict.outcome == Outcome::skipped;
    if (row.tensor != kExecution || (!skipped && row.verdict.outcome != Outcome::instrument_broken))
      continue;
    const std::string& reason = row.verdict.reason;
    const bool named = reason.find(text) != std::string::npos;
    complain(fmt::format("gradproof: {}{}{}", skipped ? "skipped: " : "", reason,
                         named ? "" : fmt::format(" in '{}'", text)));
  }
  if (!options().json) return print(text, reply.records);
  for (const Record& row : reply.records) fmt::print("{}\n", record_line(row));
}

void AuditRun::print(const std::string& text, std::vector<Record> rows) const {
  if (!is_loud()) std::erase_if(rows, is_certified);
  if (rows.empty()) return;
  say(filled({"", 4, output_width()}, text) + audit_table(rows, output_width()));
  if (!options().verbose && has_several_cases()) return;
  if (const Record* row = row_to_plot(rows)) say_filled(curve_plot(*row));
}

void AuditRun::show_end(bool) {
  if (options().json || options().quiet || !has_several_cases() || records().empty()) return;
  const auto held = progress().hold();
  for (const std::string& line : summary_table(records(), output_width())) say(line + "\n");
}

}  // namespace

int run_audit(const Options& options) {
  require_one_source(options);
  Interrupt interrupt;
  const auto [session, planned] = started(options, interrupt);
  for (const Case& c : planned.cases) refuse_law(c, "gradients");
  if (!options.column.empty()) return audit_column(options, *session, planned);
  return AuditRun(options, session, planned).run(interrupt);
}

}  // namespace gradproof
