// SPDX-License-Identifier: Apache-2.0
// __syncthreads and its relatives compare the number of arrivals with the number of live threads.
#include <bit>
#include <cstring>

#include "simt/executor/block.h"

namespace simt::executor {
namespace {

bool same_place(Where a, Where b) {
  // One call site usually has one description, and a Where is a pointer to it.
  if (std::bit_cast<const void*>(a) == std::bit_cast<const void*>(b)) return true;
  return a.line() == b.line() && std::strcmp(a.file_name(), b.file_name()) == 0;
}

}  // namespace

int Block::barrier(Op op, int predicate, Where where) {
  const ThreadIndex me = prepare_to_wait(op, where);
  const Thread& first = threads_[arrived_ == 0 ? me : waiters_[0]];
  if (first.waits != op || !same_place(first.where, where)) {
    report_divergent_barrier(threads_[me], me);
  }
  waiters_[arrived_++] = me;
  predicates_ += predicate != 0;
  if (arrived_ == live_) release_barrier();
  wait(me);
  return barrier_result_;
}

void Block::release_barrier() {
  if (live_ != threads_in_block_ && grid_->options().exit_before_barrier_is_error) {
    report_exited_threads();
  }
  switch (threads_[waiters_[0]].waits) {
    case Op::syncthreads_and:
      barrier_result_ = predicates_ == arrived_;
      break;
    case Op::syncthreads_or:
      barrier_result_ = predicates_ != 0;
      break;
    default:
      barrier_result_ = static_cast<int>(predicates_);
  }
  schedule_.ready(waiters_.data(), arrived_);
  arrived_ = predicates_ = 0;
  idle_steps_ = 0;
}

void Block::report_divergent_barrier(Thread& thread, ThreadIndex me) {
  const Thread& first = threads_[waiters_[0]];
  report("barrier-divergence", thread.where,
         "one barrier was reached at different places: " + thread_name(waiters_[0]) + " in " +
             name_of(first.waits) + " at " + place(first.where) + ", " + thread_name(me) + " in " +
             name_of(thread.waits) + " at " + place(thread.where));
}

void Block::report_exited_threads() {
  const Thread& first = threads_[waiters_[0]];
  report("exit-before-barrier", first.where,
         std::to_string(threads_in_block_ - live_) + " thread(s), " + thread_name(first_exit_) +
             " among them, returned before " + name_of(first.waits) + " at " + place(first.where) +
             " where " + std::to_string(arrived_) + " wait");
}

}  // namespace simt::executor
