// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace simt {

/// Calls `on_progress` while the launches of this thread get on, for as long as it lives: whoever
/// waits for them knows a long computation from one that never ends. Of nested scopes the innermost
/// is called.
///
/// Counted are steps, not seconds: a thread that was run, and each of its waits at a barrier or a
/// warp collective. A step counts once its block has ended, so a block that goes round and round is
/// silent; so is a host that launches for ever, from the 1024th launch of a simt::Scope on.
class ProgressScope {
 public:
  static constexpr std::uint64_t kStepsPerCall = std::uint64_t{1} << 18;
  static constexpr std::uint64_t kReportedLaunches = 1024;

  /// Takes the steps since its last call, at least kStepsPerCall. Runs on this thread.
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

/// A block of this thread's launch has ended; `launch_number` is its number in the simt::Scope.
void note_progress(std::uint64_t launch_number, std::uint64_t steps);

}  // namespace simt
