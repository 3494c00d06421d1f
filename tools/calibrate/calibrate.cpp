// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/front/cases.h"
#include "cli/worker/verbs.h"
#include "core/error.h"
#include "judge/audit_case.h"
#include "judge/check_case.h"
#include "kernels/kernel.h"
#include "properties/calibration/calibration.h"
#include "tools/calibrate/text.h"

namespace gradproof {
namespace {

TrialReport report_of(const std::string& which, TrialPlan plan) {
  if (which == "fair") return trial_fair(plan);
  if (which == "tight") return trial_tight(plan);
  if (which == "power") {
    plan.suite = read_cases(suites_directory() + "/push.cases", all_schemas());
    return trial_power(plan);
  }
  if (which == "audit") {
    plan.audited = audited_without_kernel;
    return trial_audit(plan);
  }
  throw UsageError(fmt::format("unknown trial '{}'; known: fair tight power audit", which));
}

}  // namespace

int trial(const Request& request, WorkerChannel& channel) {
  const std::vector<std::string>& arguments = request.arguments;
  const bool json = std::find(arguments.begin(), arguments.end(), "json=yes") != arguments.end();
  TrialPlan plan = plan_of(arguments);
  plan.progress = [&](const std::string& line) { channel.line(progress_line(line, json)); };
  const TrialReport report = report_of(request.text, std::move(plan));
  for (const std::string& line : lines_of(report, json)) channel.line(line);
  return report.code;
}

}  // namespace gradproof
