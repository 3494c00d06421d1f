// SPDX-License-Identifier: Apache-2.0
#include "cli/worker/verbs.h"
#include "judge/audit_case.h"
#include "judge/audit_column.h"
#include "judge/check_case.h"

namespace gradproof {

int answer_audit(const Request& request, WorkerChannel& channel) {
  const Case c = parse_case(request.text, all_schemas());
  AuditPlan plan = audit_plan(request.arguments);
  if (!plan.column.empty()) {
    const AuditedColumn column = column_of(c, plan.column);
    if (plan.json) channel.line(json_of(column));
    if (!plan.json)
      for (const std::string& line : lines_of(column)) channel.line(line);
    return exit_code_of(column);
  }
  plan.progress = [&](const std::string& stage) { channel.line(stage); };
  plan.row = [&](const AuditRow& row) { channel.audit(row); };
  audit_case(c, plan);
  return 0;
}

}  // namespace gradproof
