// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <system_error>

#include "cli/front/options.h"
#include "cli/front/terminal/paint.h"
#include "cli/front/verbs.h"
#include "cli/process/interrupt.h"
#include "cli/protocol/standard_streams.h"
#include "core/error.h"

namespace {

using namespace gradproof;

int run(int count, char** arguments) {
  const std::map<std::string, std::function<int(const Options&)>> verbs{
      {"list", run_list},
      {"coverage", run_coverage},
      {"check", run_check},
      {"describe", run_describe},
      {"judge", run_judge},
      {"inputs", run_inputs},
      {"python", run_python},
      {"replay", run_replay},
      {"doctor", run_doctor},
      {"audit", run_audit},
      {"bench", run_bench},
      {"explain", run_explain},
      {"calibrate", run_calibrate},
      {"exhaustive", run_exhaustive},
      {"search", run_search},
      {"report", run_report},
      {"plan", run_plan},
      {"merge", run_merge},
      {"baseline update", run_baseline_update}};
  try {
    const Options options = parse_options(count, arguments);
    return verbs.at(options.verb)(options);
  } catch (const HelpRequest& help) {
    say(help.text);
    return 0;
  }
}

/// What a shell says of a program that a broken pipe ended.
constexpr int kBrokenPipe = 128 + SIGPIPE;

int report_error(const std::string& reason, int code) {
  complain("gradproof: " + reason);
  return code;
}

/// Of LibTorch in workers and in Python: threads that wait for the next loop sleep. By default they
/// spin, and with as many processes as cores each loop waits for those of another.
void let_waiting_threads_sleep() { setenv("OMP_WAIT_POLICY", "passive", 0); }

}  // namespace

int main(int count, char** arguments) {
  hold_standard_streams();
  end_on_signals();
  let_waiting_threads_sleep();
  try {
    const int code = run(count, arguments);
    flush_output();
    return code;
  } catch (const UsageError& error) {
    return report_error(error.what(), 2);
  } catch (const Interrupted& error) {
    return report_error(error.what(), kExitInterrupted);
  } catch (const std::system_error& error) {
    // Who closes the pipe has read enough: `gradproof list | head -n 1`.
    if (error.code().value() == EPIPE) return kBrokenPipe;
    // {fmt} throws where it cannot print, and cannot know what it printed to.
    if (std::ferror(stdout) == 0) return report_error(error.what(), 3);
    return report_error("cannot write standard output: " + error.code().message(), 3);
  } catch (const std::exception& error) {
    return report_error(error.what(), 3);
  }
}
