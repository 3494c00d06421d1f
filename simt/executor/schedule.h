// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simt/executor/random.h"
#include "simt/host.h"

namespace simt::executor {

using ThreadIndex = std::uint16_t;
constexpr unsigned kMaxThreads = 1024;
constexpr int kNobody = -1;

/// Chooses who runs next in one block; holds the threads not started and those that could go on.
///
/// Forward and reverse take threads first come, first served. Random draws an adversary per block,
/// because a random permutation at every barrier would find almost no missing barrier: all threads
/// would advance together.
class Schedule {
 public:
  /// Begins a new block of `threads` threads.
  void begin(Order order, unsigned threads, std::uint64_t seed);

  /// True if a fresh thread should start before any that could go on.
  bool prefers_start();
  bool has_fresh() const { return started_ < threads_; }
  ThreadIndex start() {
    const unsigned position = started_++;
    if (order_ == Order::forward) return static_cast<ThreadIndex>(position);
    if (order_ == Order::reverse) return static_cast<ThreadIndex>(threads_ - 1 - position);
    return start_order_[position];
  }
  /// In forward order only: notes that the first `count` threads have started without asking.
  void skip(unsigned count) { started_ = count; }

  /// Notes that `thread` could go on.
  void ready(ThreadIndex thread) {
    if (adversary_ == Adversary::none)
      queue_[tail_++ % kMaxThreads] = thread;
    else
      ready_for_adversary(thread);
  }
  /// Notes that all of these could go on, and may reorder the array.
  void ready(ThreadIndex* threads, unsigned count);
  /// The thread that goes on, or kNobody.
  int next() {
    if (adversary_ != Adversary::none) return next_by_adversary();
    if (head_ == tail_) return kNobody;
    return queue_[head_++ % kMaxThreads];
  }
  /// Like next(), but an adversary too lets every thread have a turn.
  int next_fairly();
  /// The thread that next() will probably return, to fetch its stack early; or kNobody.
  int expected() const { return head_ == tail_ ? kNobody : queue_[head_ % kMaxThreads]; }

  Order order() const { return order_; }
  Random& random() { return random_; }

 private:
  enum class Adversary { none, uniform, priorities, last_in_first_out };
  void begin_random(std::uint64_t seed);
  void ready_for_adversary(ThreadIndex thread);
  int next_by_adversary();
  bool is_less_urgent(ThreadIndex a, ThreadIndex b) const { return priority_[a] < priority_[b]; }

  Order order_ = Order::forward;
  Adversary adversary_ = Adversary::none;
  unsigned threads_ = 0;
  unsigned started_ = 0;
  unsigned head_ = 0;  ///< of the ring; head_ == tail_ when empty
  unsigned tail_ = 0;
  std::array<ThreadIndex, kMaxThreads> queue_;
  std::vector<ThreadIndex> bag_;  ///< the ready threads of an adversary
  std::vector<ThreadIndex> start_order_;
  std::vector<std::uint32_t> priority_;
  Random random_{0};
};

}  // namespace simt::executor
