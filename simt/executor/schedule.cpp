// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/schedule.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace simt::executor {
namespace {

void shuffle(ThreadIndex* threads, unsigned count, Random& random) {
  for (unsigned i = count; i > 1; --i) std::swap(threads[i - 1], threads[random.below(i)]);
}

}  // namespace

void Schedule::begin(Order order, unsigned threads, std::uint64_t seed) {
  order_ = order;
  threads_ = threads;
  started_ = head_ = tail_ = 0;
  adversary_ = Adversary::none;
  if (order == Order::random) begin_random(seed);
}

void Schedule::begin_random(std::uint64_t seed) {
  random_ = Random(seed);
  constexpr Adversary kAdversaries[] = {Adversary::uniform, Adversary::priorities,
                                        Adversary::last_in_first_out};
  adversary_ = kAdversaries[random_.below(std::size(kAdversaries))];
  bag_.clear();
  start_order_.resize(threads_);
  std::iota(start_order_.begin(), start_order_.end(), ThreadIndex{0});
  shuffle(start_order_.data(), threads_, random_);
  if (adversary_ != Adversary::priorities) return;
  // This follows PCT (Burckhardt et al., ASPLOS 2010). Lanes of a warp get close priorities, so
  // that whole warps race ahead.
  priority_.resize(threads_);
  std::uint32_t warp = 0;
  for (unsigned thread = 0; thread < threads_; ++thread) {
    if (thread % 32 == 0) warp = random_.below(1u << 26);
    priority_[thread] = warp << 5 | random_.below(32);
  }
}

bool Schedule::prefers_start() {
  if (!has_fresh()) return false;
  if (adversary_ == Adversary::none) return head_ == tail_;
  if (bag_.empty()) return true;
  switch (adversary_) {
    case Adversary::uniform:
      return random_.below(2) == 0;
    case Adversary::priorities:
      return is_less_urgent(bag_.front(), start_order_[started_]);
    default:
      return false;
  }
}

void Schedule::ready(ThreadIndex* threads, unsigned count) {
  if (adversary_ != Adversary::none) shuffle(threads, count, random_);
  for (unsigned i = 0; i < count; ++i) ready(threads[i]);
}

void Schedule::ready_for_adversary(ThreadIndex thread) {
  bag_.push_back(thread);
  if (adversary_ != Adversary::priorities) return;
  std::push_heap(bag_.begin(), bag_.end(),
                 [this](ThreadIndex a, ThreadIndex b) { return is_less_urgent(a, b); });
}

int Schedule::next_by_adversary() {
  if (bag_.empty()) return kNobody;
  if (adversary_ == Adversary::uniform) {
    std::swap(bag_[random_.below(bag_.size())], bag_.back());
  } else if (adversary_ == Adversary::priorities) {
    std::pop_heap(bag_.begin(), bag_.end(),
                  [this](ThreadIndex a, ThreadIndex b) { return is_less_urgent(a, b); });
  }
  const ThreadIndex thread = bag_.back();
  bag_.pop_back();
  return thread;
}

int Schedule::next_fairly() {
  if (adversary_ == Adversary::none) return next();
  if (bag_.empty()) return kNobody;
  const auto chosen = bag_.begin() + random_.below(bag_.size());
  const ThreadIndex thread = *chosen;
  bag_.erase(chosen);
  if (adversary_ == Adversary::priorities) {
    std::make_heap(bag_.begin(), bag_.end(),
                   [this](ThreadIndex a, ThreadIndex b) { return is_less_urgent(a, b); });
  }
  return thread;
}

}  // namespace simt::executor
