// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace simt::executor {

/// A pool of threads that sleep between launches, each with its own Block and stacks.
class WorkerPool {
 public:
  /// The process's pool; its threads end with the process.
  static WorkerPool& instance();
  ~WorkerPool();

  /// Runs `work` here and, as they wake up, on up to `helpers` other threads; returns when all that
  /// began have ended. A pool that is busy with another thread's launch helps nobody: the work then
  /// runs here alone.
  void run(int helpers, const std::function<void()>& work);

 private:
  void help();

  std::mutex in_use_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void()>* work_ = nullptr;
  int wanted_ = 0;  ///< helpers that may still join
  int busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace simt::executor
