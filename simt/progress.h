// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace simt {

/// While it lives, calls `on_progress` as the launches of this thread make progress, so that a
/// caller can tell a long computation from one that never ends. Of nested scopes only the innermost
/// is called.
///
/// It counts steps, not seconds: a step is a thread that was run, or one wait of a thread at a
/// barrier or a warp collective. A step counts once its block has ended, so a block that loops for
/// ever is silent; so is a host that launches for ever, from the 1024th launch of a simt::Scope on.
class ProgressScope {
 public:
  static constexpr std::uint64_t kStepsPerCall = std::uint64_t{1} << 18;
  static constexpr std::uint64_t kReportedLaunches = 1024;

  /// It is given the number of steps since the last call, at least kStepsPerCall, on this thread.
  using OnProgress = std::function<void(std::uint64_t steps)>;

  explicit ProgressScope(OnProgress on_progress);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

 private:
  friend void note_progress(std::uint64_t launch_number, std::uint64_t steps);
  OnProgress on_progress_;
  std::uint64_t steps_ = 0;
  ProgressScope* outer_;
};

/// Called when a block of this thread's launch has ended; `launch_number` counts in the Scope.
void note_progress(std::uint64_t launch_number, std::uint64_t steps);

}  // namespace simt
