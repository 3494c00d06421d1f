// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/error.h"
#include "judge/audit_case.h"
#include "properties/calibration/calibration.h"
#include "tools/calibrate/text.h"
#include "tools/calibrate/undeclared.h"
#include "tools/verbs.h"

namespace gradproof {
namespace {

CalibrationReport report_of(const std::string& which, const CalibrationPlan& plan) {
  if (which == "fair") return calibrate_fair(plan);
  if (which == "tight") return calibrate_tight(plan);
  if (which == "power") return calibrate_power(plan);
  if (which == "audit") return calibrate_audit(plan);
  if (which == "laws") return calibrate_laws(plan);
  if (which == "graphs" || which == "likely") return calibrate_graphs(plan);
  if (which == "sizes") return calibrate_sizes(plan);
  throw UsageError(fmt::format(
      "unknown calibration '{}'; known: fair tight power audit laws graphs likely sizes", which));
}

}  // namespace

CalibrationPlan judged_plan_of(const Systems& systems, const CalibrateRequest& request) {
  CalibrationPlan plan = plan_of(systems.catalog, request);
  plan.is_likely = request.name == "likely";
  plan.audited = [&systems](const Case& c) { return audited_without_kernel(systems, c); };
  plan.undeclared = judged_undeclared;
  return plan;
}

int answer_calibrate(const Systems& systems, const CalibrateRequest& request,
                     WorkerChannel& channel) {
  const bool json = request.json;
  CalibrationPlan plan = judged_plan_of(systems, request);
  plan.progress = [&](const std::string& line) { channel.line(progress_line(line, json)); };
  plan.counted = [&](const std::string& what, std::int64_t done, std::int64_t of) {
    channel.progress(what, done, of);
  };
  const CalibrationReport report = report_of(request.name, plan);
  for (const std::string& line : lines_of(report, json)) channel.line(line);
  return report.code;
}

}  // namespace gradproof
