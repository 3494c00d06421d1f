// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gradproof {

/// Calls work(0) ... work(count - 1), spread over thread_limit() threads, each exactly once in no
/// set order. The first exception stops the rest and is thrown here. `at_thread_end` runs on each
/// helper thread when it is done (libraries with a cache for each thread want that).
void for_each_index(
    std::int64_t count, const std::function<void(std::int64_t)>& work,
    const std::function<void()>& at_thread_end = [] {});

/// How many threads work that starts on this thread may take, itself included: all cores where no
/// ThreadLimit says otherwise.
int thread_limit();

/// Limits the work of this thread, and of the helpers that it starts, for as long as it lives.
/// Limits nest.
class ThreadLimit {
 public:
  /// From 1; not checked.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int outer_;
};

}  // namespace gradproof
