// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/slow_cases.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace gradproof {

SlowCases::SlowCases(std::chrono::nanoseconds slow, std::function<void(const std::string&)> say)
    : slow_(slow), say_(std::move(say)), watcher_([this] { watch(); }) {}

SlowCases::~SlowCases() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  watcher_.join();
}

void SlowCases::during(std::string text, const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  const auto mine =
      running_.emplace(next_++, Begun{std::move(text), std::chrono::steady_clock::now()}).first;
  lock.unlock();
  struct End {
    SlowCases& all;
    std::map<std::int64_t, Begun>::iterator mine;
    ~End() {
      const std::lock_guard again(all.mutex_);
      all.running_.erase(mine);
    }
  } const end{*this, mine};
  work();
}

void SlowCases::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, slow_ / 4, [this] { return over_; })) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<std::string> lines;
    for (auto& [number, begun] : running_) {
      if (begun.said || now - begun.at < slow_) continue;
      begun.said = true;
      const std::chrono::duration<double> seconds = now - begun.at;
      lines.push_back(fmt::format("still running after {:.0f} s: {}", seconds.count(), begun.text));
    }
    lock.unlock();
    for (const std::string& line : lines) say_(line);
    lock.lock();
  }
}

}  // namespace gradproof
