// SPDX-License-Identifier: Apache-2.0
#include "properties/trial.h"

#include <fmt/format.h>

#include "cli/cases.h"
#include "cli/line.h"
#include "cli/told_verbs.h"
#include "cli/trial_text.h"
#include "core/error.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

struct Asked {
  TrialPlan plan;
  bool json = false;
};

Asked read(const Request& request) {
  Asked asked;
  for (const std::string& argument : request.arguments) {
    const std::string key = argument.substr(0, argument.find('='));
    const std::string text = argument.substr(key.size() + 1);
    if (key == "cases") asked.plan.cases = std::stoll(text);
    if (key == "seed") asked.plan.seed = std::stoull(text);
    if (key == "kernel") asked.plan.kernels.push_back(kernel_named(text).schema->word);
    if (key == "json") asked.json = text == "yes";
  }
  return asked;
}

TrialReport report_of(const std::string& which, TrialPlan plan) {
  if (which == "fair") return trial_fair(plan);
  if (which == "tight") return trial_tight(plan);
  if (which == "power") {
    plan.suite = read_cases(suites_directory() + "/push.cases", all_schemas());
    return trial_power(plan);
  }
  throw UsageError(fmt::format("unknown trial '{}'; known: fair tight power", which));
}

}  // namespace

int trial(const Request& request, WorkerChannel& channel) {
  Asked asked = read(request);
  asked.plan.progress = [&](const std::string& line) {
    channel.line(progress_line(line, asked.json));
  };
  const TrialReport report = report_of(request.text, asked.plan);
  for (const std::string& line : lines_of(report, asked.json)) channel.line(line);
  return report.code;
}

}  // namespace gradproof
