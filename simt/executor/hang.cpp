// SPDX-License-Identifier: Apache-2.0
// A block that cannot go on is reported as a finding that says which threads wait at which place.
#include <map>
#include <tuple>
#include <vector>

#include <sched.h>

#include "simt/executor/block.h"

namespace simt::executor {
namespace {

struct Waiting {
  std::string where;
  Op op;
  bool operator<(const Waiting& other) const {
    return std::tie(where, op) < std::tie(other.where, other.op);
  }
};

/// The text "5 thread(s) [0..3, 7]" for a sorted list of threads.
std::string describe(const std::vector<unsigned>& threads) {
  std::string text = std::to_string(threads.size()) + " thread(s) [";
  for (std::size_t i = 0; i < threads.size();) {
    std::size_t end = i + 1;
    while (end < threads.size() && threads[end] == threads[end - 1] + 1) ++end;
    if (i != 0) text += ", ";
    text += std::to_string(threads[i]);
    if (end - i > 1) text += ".." + std::to_string(threads[end - 1]);
    i = end;
  }
  return text + "]";
}

}  // namespace

std::string Block::who_waits() const {
  std::map<Waiting, std::vector<unsigned>> groups;
  std::vector<unsigned> returned;
  for (unsigned thread = 0; thread < threads_in_block_; ++thread) {
    const Thread& state = threads_[thread];
    if ((warps_[thread / 32].alive >> thread % 32 & 1) == 0)
      returned.push_back(thread);
    else if (state.waits != Op::none)
      groups[{place(state.where), state.waits}].push_back(thread);
  }
  std::string text;
  for (const auto& [waiting, threads] : groups) {
    text += (text.empty() ? "" : ", ") + describe(threads) + " wait in " + name_of(waiting.op) +
            " at " + waiting.where;
  }
  if (!returned.empty()) text += ", " + describe(returned) + " returned";
  return text;
}

void Block::deadlock() {
  report("deadlock", Where(), "no thread can go on: " + who_waits());
  abandon();
}

void Block::hang() {
  report("hang", Where(),
         "no progress in " + std::to_string(idle_steps_) + " atomic accesses: " + who_waits());
  abandon();
}

/// Counts steps without progress of this block or of another worker's.
void Block::watch(Op op, Where where) {
  constexpr std::uint64_t kStepsPerLook = 1024;
  ++idle_steps_;
  if (idle_steps_ % kStepsPerLook == 0) {
    const std::uint64_t finished = grid_->finished();
    if (finished != blocks_seen_) idle_steps_ = 1;
    blocks_seen_ = finished;
    sched_yield();
  }
  if (idle_steps_ < grid_->options().watchdog) return;
  prepare_to_wait(op, where);
  hang();
}

/// A number that differs whenever the block has made progress.
std::uint64_t Block::fingerprint() const {
  return ((block_ * 31 + waits_) * 31 + live_) * 31 + running.fresh + idle_steps_;
}

void Block::tick() {
  const std::uint64_t now = fingerprint();
  if (now != last_fingerprint_) unchanged_ticks_ = 0;
  last_fingerprint_ = now;
  // The first tick only marks where the period began.
  constexpr int kTicksOfAPeriod = 2;
  if (unchanged_ticks_++ < kTicksOfAPeriod) return;
  prepare_to_wait(Op::computing, Where());
  report("hang", Where(),
         "no barrier, atomic or return in " + std::to_string(grid_->options().watchdog_seconds) +
             " s: " + who_waits());
  abandon();
}

}  // namespace simt::executor
