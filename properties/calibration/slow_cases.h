// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace gradproof {

/// Names each Case that takes long while it still runs, once: whoever waits for the end of a long
/// calibration, or stops one that does not end, should know for which Case. Safe from several
/// threads.
class SlowCases {
 public:
  /// `say` is called from a thread of its own, never twice at once.
  SlowCases(std::chrono::nanoseconds slow, std::function<void(const std::string&)> say);
  ~SlowCases();
  SlowCases(const SlowCases&) = delete;
  SlowCases& operator=(const SlowCases&) = delete;

  /// Runs the work, which `text` names.
  void during(std::string text, const std::function<void()>& work);

 private:
  struct Begun {
    std::string text;
    std::chrono::steady_clock::time_point at;
    bool said = false;
  };
  void watch();

  std::chrono::nanoseconds slow_;
  std::function<void(const std::string&)> say_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::int64_t next_ = 0;
  std::map<std::int64_t, Begun> running_;
  std::thread watcher_;
};

}  // namespace gradproof
