// SPDX-License-Identifier: Apache-2.0
// Kernels that do to their process what no kernel may.
#include <filesystem>

#include <unistd.h>

#include "tests/faults/fault.h"
#include "tests/faults/fault_runs.h"

namespace gradproof {
namespace {

Fault in_check(const std::string& name, const std::string& done, const std::string& fault,
               const std::string& options = "") {
  return {name, done, [fault, options] { return check_around(fault, "", options); }};
}

/// A deadline long enough for a worker to start on a busy machine.
constexpr const char* kDeadline = "--deadline 5";

Observed in_little_address_space() {
#if defined(__SANITIZE_ADDRESS__)
  return {"", "", 0, "the address sanitizer takes more address space than any limit leaves"};
#else
  return check_around("memory", "ulimit -v 2000000;");  // a worker starts with half of it
#endif
}

/// Runs the check in a control group of its own, if this process may make one.
Observed in_control_group() {
  const bool second = std::filesystem::exists("/sys/fs/cgroup/cgroup.controllers");
  const std::string group = std::string("/sys/fs/cgroup/") + (second ? "" : "memory/") +
                            "gradproof-faults-" + std::to_string(getpid());
  const std::string limit = group + (second ? "/memory.max" : "/memory.limit_in_bytes");
  const bool made = shell("mkdir " + group + " && echo 600M >" + limit, "fault-group").code == 0;
  Observed observed = made ? check_around("memory", "echo 0 >" + group + "/cgroup.procs;")
                           : Observed{"", "", 0, "no control group can be made here"};
  if (made &&
      has(reason_in(scratch_path("fault-memory") + "/r", "swish_bias mutant=memory"), "emory"))
    observed.verdict += "; memory is named";
  shell("for try in 1 2 3 4 5 6 7 8 9; do rmdir " + group + " && break; sleep 0.1; done",
        "fault-group-end");
  return observed;
}

/// Notes how many KiB of a kernel's endless output are shown; they are limited.
Observed flood() {
  Observed observed = check_around("flood", "", kDeadline);
  const std::size_t shown = text_of(scratch_path("cli-fault-run-flood") + "/err").size() >> 10;
  observed.verdict += "; " + std::to_string(shown) + " KiB shown";
  return observed;
}

Observed on_device() {
  const Finished done = with_faulty("doctor", "fault-device");
  if (has(done.out, "GPU          none")) return {"", "", 0, "there is no device"};
  const std::string cuda = " device=cuda";
  return observed({.name = "device",
                   .faulty = "swish_bias rows=32" + cuda,
                   .others = {"swish_bias" + cuda, "swish_bias rows=9" + cuda},
                   .setup = "FAULT=illegal"});
}

Observed in_executor() {
  return observed({.name = "executor", .faulty = "swish_bias rows=32", .setup = "FAULT=illegal"});
}

}  // namespace

std::vector<Fault> kernel_faults() {
  return {
      in_check("segmentation fault", "a kernel writes through a null pointer", "segfault"),
      in_check("abort", "a kernel calls abort()", "abort"),
      in_check("exit in the middle", "a kernel calls exit(0)", "exit"),
      in_check("exception", "a kernel throws", "throw"),
      in_check("endless kernel", "a kernel computes for ever", "endless", kDeadline),
      {"flooding worker", "a kernel prints for ever", flood},
      in_check("talking worker", "a kernel prints 4 MB", "talk"),
      in_check("closed streams of the worker", "a kernel closes descriptors 0 to 2",
               "close_streams"),
      in_check("closed descriptors", "a kernel closes all from 3 on", "close_all"),
      in_check("NaN storm", "a kernel fills its results with NaN", "nan"),
      in_check("rounding mode", "a kernel leaves it upward", "rounding"),
      in_check("flushed subnormals", "a kernel leaves subnormal numbers flushed to 0", "flush"),
      in_check("SIGKILL over a Case", "a kernel's worker is killed each time", "killed"),
      {"out of memory, RLIMIT_AS", "a kernel takes all memory, under ulimit -v",
       in_little_address_space},
      {"out of memory, control group", "the same, under a limit of 600 MB", in_control_group},
      {"illegal address in the executor", "a kernel's threads write where nothing is", in_executor},
      {"illegal address on the device", "the same there", on_device},
  };
}

}  // namespace gradproof
