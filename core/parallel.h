// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gradproof {

/// Calls work(0) ... work(count - 1), spread over thread_limit() threads, each exactly once in no
/// set order. The first exception stops the rest and is thrown here. `at_thread_end` runs on each
/// helper thread at its end (a library that has a cache for each thread needs such a call).
void for_each_index(
    std::int64_t count, const std::function<void(std::int64_t)>& work,
    const std::function<void()>& at_thread_end = [] {});

/// The most threads that work started on this thread may use, this thread included: all cores if
/// no ThreadLimit says otherwise.
int thread_limit();

/// Limits the work of this thread, and of the helpers that it starts, while the object lives.
/// Limits nest.
class ThreadLimit {
 public:
  /// `threads` must be 1 or more, which is not checked.
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  int outer_;
};

}  // namespace gradproof
