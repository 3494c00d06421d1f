// SPDX-License-Identifier: Apache-2.0
// Standard streams of the program that are closed or take nothing.
#include <fmt/format.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

Observed with_streams(const std::string& name, const std::string& streams) {
  const std::string folder = scratch_directory("fault-" + name);
  const Finished done = shell(front() + " check sample 'sample behave=crash' 'sample seed=3' " +
                                  "--no-shrink --workers 1 --verbose --worker " + fake_worker() +
                                  " --records " + folder + " " + streams,
                              "fault-" + name + "-run");
  // The place that the run reached before it noticed is a matter of luck.
  const bool ended = has(last_run_text(folder), R"({"end":"failed")");
  const std::string verdict = ended ? "the run ends" : verdict_in(folder, "sample behave=crash");
  const std::string said = has(done.err, "cannot write standard output") ? ", told" : "";
  const std::size_t printed = count_of(done.out, "passed  sample d_x");
  const std::size_t lost = lost_cases(folder, {"sample", "sample seed=3"});
  return {verdict + said, std::to_string(done.code), printed == 0 ? 0 : lost};
}

}  // namespace

std::vector<Fault> stream_faults() {
  return {
      {"closed standard output", "a check in which one Case crashes",
       [] { return with_streams("stdout-closed", ">&-"); }},
      {"full standard output", "the same",
       [] { return with_streams("stdout-full", ">/dev/full"); }},
      {"closed standard error", "the same", [] { return with_streams("stderr-closed", "2>&-"); }},
      {"full standard error", "the same",
       [] { return with_streams("stderr-full", "2>/dev/full"); }},
      {"all streams closed", "the same", [] { return with_streams("all-closed", "<&- >&- 2>&-"); }},
  };
}

}  // namespace gradproof
