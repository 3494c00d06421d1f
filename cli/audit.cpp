// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/cases.h"
#include "cli/places.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "reports/audit_json.h"
#include "reports/audit_text.h"
#include "reports/evidence.h"
#include "reports/tally.h"

namespace gradproof {
namespace {

/// Why a request has no answer, and what that means for the exit code.
Findings trouble(const Reply& reply, const std::string& case_text) {
  Findings found;
  if (reply.failure) {
    fmt::print(stderr, "gradproof: {} in '{}'\n", reply.failure->text, case_text);
    found.usage = reply.failure->kind == "usage";
    found.incomplete = reply.failure->kind == "skip";
    found.infrastructure = !found.usage && !found.incomplete;
  }
  if (reply.lost) {
    fmt::print(stderr, "gradproof: {} {} in '{}'\n", name_of(reply.lost->outcome),
               reply.lost->reason, case_text);
    // The kernel is not run by an audit: whatever dies here is the instrument.
    found.infrastructure = true;
  }
  found.incomplete = found.incomplete || reply.interrupted;
  return found;
}

Findings audit_one(Session& session, const Case& c, bool json) {
  const std::string text = to_string(c);
  const Reply reply = session.ask({"audit", text});
  Findings found = trouble(reply, text);
  if (!json) fmt::print("{}\n", text);
  for (const AuditRow& row : reply.audit) {
    if (json) fmt::print("{}\n", audit_line(row));
    found.wrong = found.wrong || row.verdict == "wrong";
    found.incomplete = found.incomplete || row.verdict != "certified";
  }
  found.incomplete = found.incomplete || reply.audit.empty();
  if (!json) fmt::print("{}", audit_table(reply.audit));
  std::fflush(stdout);
  return found;
}

void merge(Findings& all, const Findings& one) {
  all.usage = all.usage || one.usage;
  all.infrastructure = all.infrastructure || one.infrastructure;
  all.wrong = all.wrong || one.wrong;
  all.incomplete = all.incomplete || one.incomplete;
}

}  // namespace

int run_audit(const Options& options) {
  const Interrupt interrupt;
  Session session(worker_program(options.worker), options.deadline, interrupt);
  Findings all;
  const Planned planned = planned_cases(options, session.schemas());
  for (const Case& c : planned.cases) {
    if (interrupt.raised()) all.incomplete = true;
    if (!interrupt.raised()) merge(all, audit_one(session, c, options.json));
  }
  return exit_code(all);
}

}  // namespace gradproof
