// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/verbs.h"
#include "judge/audit_case.h"
#include "judge/audit_column.h"

namespace gradproof {

int answer_audit(const Systems& systems, const AuditRequest& request, WorkerChannel& channel) {
  AuditPlan plan;
  plan.options.entries = request.entries;
  plan.options.digits = request.digits;
  plan.options.direct = request.direct;
  plan.kernel = request.kernel;
  plan.threads = request.threads;
  plan.progress = [&](AuditPhase phase) { channel.phase(phase); };
  plan.record = [&](const Record& record) { channel.record(record); };
  const Case c = parse_case(request.case_text, systems.schemas());
  audit_case(systems, c, plan);
  return 0;
}

int answer_column(const Systems& systems, const ColumnRequest& request, WorkerChannel& channel) {
  const Case c = parse_case(request.case_text, systems.schemas());
  const AuditedColumn column = column_of(systems, c, request.column);
  if (request.json)
    channel.line(json_of(column));
  else
    for (const std::string& line : lines_of(column)) channel.line(line);
  return exit_code_of(column);
}

}  // namespace gradproof
