// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/plan.h"

#include <fmt/format.h>

#include "cli/front/started.h"
#include "cli/front/verbs.h"
#include "core/case/law_key.h"

namespace gradproof {

int run_plan(const Options& options) {
  require_one_source(options);
  Interrupt interrupt;
  const Planned planned = started(options, interrupt).planned;
  std::vector<PlannedCase> cases;
  for (const Case& c : planned.cases) {
    if (kind_of(options) == Measured::differences) refuse_law(c, "gradients");
    cases.push_back({to_string(c), cost_of(c)});
  }
  fmt::print("{}", plan_lines(make_plan(kind_of(options), std::move(cases))));
  return 0;
}

}  // namespace gradproof
