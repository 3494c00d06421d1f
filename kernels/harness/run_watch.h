// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>

#include <sys/types.h>

#include "kernels/kernel.h"

namespace gradproof {

/// The kind of finding that stands for the end of an earlier process.
inline constexpr const char* kCrash = "crash";

/// Stands around every run of a kernel in this process, on any thread, as long as it lives: if a
/// run ends the process, the listener knows the Case. It is silent in a forked process, whose end
/// is not ours.
class RunWatch {
 public:
  /// Called when a run of the Case begins or has ended, on the thread that runs.
  using Tell = std::function<void(const std::string& case_text, bool ended)>;

  /// `lost` has Cases that ended an earlier process, and how. They are not run: each is a finding.
  RunWatch(Tell tell, const std::map<std::string, std::string>& lost);
  ~RunWatch();
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

 private:
  friend KernelRun watched(const Case& c, const std::function<KernelRun()>& run);
  Tell tell_;
  const std::map<std::string, std::string>& lost_;
  pid_t process_;
};

/// Calls `run` under the watch that exists. A device that broke is a finding of the run.
KernelRun watched(const Case& c, const std::function<KernelRun()>& run);

}  // namespace gradproof
