// SPDX-License-Identifier: Apache-2.0
// This file stops a thread and lets it go on.
#include "simt/executor/block.h"

namespace simt::executor {

ThreadIndex Block::prepare_to_wait(Op op, Where where) {
  if (quick_) leave_quick_mode();
  Thread& thread = threads_[current_];
  thread.stack = stack_;
  thread.where = where;
  thread.waits = op;
  ++waits_;
  return current_;
}

/// Runs other threads until the schedule picks this thread again.
void Block::wait(ThreadIndex me) {
  if (schedule_.prefers_start()) {
    start_carrier(threads_[me].context);
  } else {
    const int next = schedule_.next();
    if (next == kNobody) deadlock();
    if (next != me) continue_with(static_cast<ThreadIndex>(next), me);
  }
  go_on(me);
}

void Block::continue_with(ThreadIndex next, ThreadIndex me) {
  prefetch_next();
  jump(threads_[me].context, threads_[next].context, *threads_[next].stack);
}

/// Called when this thread has the worker again.
void Block::go_on(ThreadIndex me) {
  Thread& thread = threads_[me];
  current_ = me;
  stack_ = thread.stack;
  thread.waits = Op::none;
  running.thread = unpack(thread.index);
}

/// A jump is cheap; the cost is that the other thread's stack is not in the cache. This fetches the
/// stack of the thread after the next one meanwhile.
void Block::prefetch_next() const {
  const int after = schedule_.expected();
  if (after == kNobody) return;
  const auto* const frame =
      static_cast<const char*>(threads_[static_cast<unsigned>(after)].context);
  __builtin_prefetch(frame, 1);
  __builtin_prefetch(frame + 64, 1);
  __builtin_prefetch(frame + 128, 1);
}

/// Lets others have their turn while this thread spins, those not yet started first, whatever the
/// order says: an adversary that always picked the spinning one would call every spin a hang.
void Block::let_others_run(ThreadIndex me) {
  if (schedule_.has_fresh()) {
    schedule_.ready(me);
    start_carrier(threads_[me].context);
  } else if (const int next = schedule_.next_fairly(); next != kNobody) {
    schedule_.ready(me);
    continue_with(static_cast<ThreadIndex>(next), me);
  }
  go_on(me);
}

void Block::give_way(Op op, bool changed, Where where) {
  constexpr std::uint64_t kSpinsPerTurn = 16;
  constexpr std::uint32_t kSwitchOneIn = 4;
  if (op == Op::atomic) grid_->note_atomic();
  if (!changed) {
    watch(op, where);
    if (idle_steps_ % kSpinsPerTurn == 0) return let_others_run(prepare_to_wait(op, where));
  }
  const bool switches = running.adversarial && grid_->options().order == Order::random;
  if (switches && schedule_.random().below(kSwitchOneIn) == 0) {
    const ThreadIndex me = prepare_to_wait(op, where);
    schedule_.ready(me);
    wait(me);
  }
}

}  // namespace simt::executor
