// SPDX-License-Identifier: Apache-2.0
#include "cli/front/audit_request.h"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "cli/front/audit_arguments.h"

namespace gradproof {
namespace {

/// Beyond the deadline, for each element of x: about three times what differences of all entries
/// at 33 digits take on one core.
constexpr double kSecondsPerElement = 3e-3;

Request request_of(const Case& c, const Options& options, int threads) {
  Request request{"audit", to_string(c), audit_arguments(options)};
  if (threads != static_cast<int>(std::thread::hardware_concurrency()))
    request.arguments.push_back(fmt::format("threads={}", threads));
  return request;
}

/// Why a part of the Case was not audited, or empty.
std::string missing(const Reply& reply) {
  if (reply.interrupted || (reply.failure && reply.failure->kind == "usage")) return "";
  if (reply.lost) return fmt::format("{} {}", name_of(reply.lost->outcome), reply.lost->reason);
  if (reply.failure)
    return (reply.failure->kind == "skip" ? "skipped: " : "") + reply.failure->text;
  return reply.audit.empty() ? "the worker audited nothing" : "";
}

/// A tensor without a row would leave no gap in the records.
void add_missing_row(Reply& reply) {
  const std::string reason = missing(reply);
  if (reason.empty()) return;
  AuditRow row;
  row.tensor = kExecution;
  row.shape = {0};
  row.verdict = "inconclusive";
  row.reason = reason;
  reply.audit.push_back(row);
}

}  // namespace

bool CaseAudit::wrong() const {
  return kernel_died || std::any_of(reply.audit.begin(), reply.audit.end(),
                                    [](const AuditRow& row) { return row.verdict == "wrong"; });
}

CaseAudit ask_audit(Session& session, const Case& c, const Options& options, const Turn& turn,
                    const LineReader& read) {
  Request request = request_of(c, options, turn.threads);
  const double deadline = session.deadline_seconds() + kSecondsPerElement * elements_of(c);
  Reply reply = session.ask(request, deadline, read);
  if (reply.killed && !turn.again) return {reply};
  const bool of_kernel = reply.lost && reply.phase == AuditPhase::kernel &&
                         reply.lost->outcome != Outcome::instrument_broken;
  if (!of_kernel) {
    add_missing_row(reply);
    return {reply, false, turn.again};
  }
  // The kernel's own end; the differences need no kernel.
  AuditWitness kernel;
  kernel.name = "kernel";
  kernel.verdict = "wrong";
  kernel.text = fmt::format("{} {}", name_of(reply.lost->outcome), reply.lost->reason);
  request.arguments.push_back("kernel=no");
  CaseAudit audit{session.ask(request, deadline, read), true, turn.again};
  add_missing_row(audit.reply);
  for (AuditRow& row : audit.reply.audit) {
    row.witnesses.insert(row.witnesses.begin(), kernel);
    settle(row);
  }
  return audit;
}

}  // namespace gradproof
