// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "cli/front/options.h"
#include "cli/front/terminal/exit_code.h"
#include "cli/front/verbs.h"
#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"

namespace {

using namespace gradproof;

int run(int count, char** arguments) {
  const std::map<std::string, std::function<int(const Options&)>> verbs{
      {"list", run_list},           {"coverage", run_coverage},
      {"check", run_check},         {"describe", run_describe},
      {"judge", run_judge},         {"inputs", run_inputs},
      {"python", run_python},       {"replay", run_replay},
      {"doctor", run_doctor},       {"audit", run_audit},
      {"bench", run_bench},         {"explain", run_explain},
      {"calibrate", run_calibrate}, {"exhaustive", run_exhaustive},
      {"search", run_search},       {"report", run_report},
      {"plan", run_plan},           {"merge", run_merge},
      {"serve", run_serve},         {"baseline update", run_baseline_update}};
  const Options options = parse_options(count, arguments);
  return verbs.at(options.verb)(options);
}

/// Lets LibTorch's threads, in workers and in Python, sleep while they wait for the next loop. By
/// default they spin, and with as many processes as cores each loop waits for those of another.
void let_waiting_threads_sleep() { setenv("OMP_WAIT_POLICY", "passive", 0); }

}  // namespace

int main(int count, char** arguments) {
  hold_standard_streams();
  end_on_signals();
  let_waiting_threads_sleep();
  return exit_code_of([&] { return run(count, arguments); });
}
