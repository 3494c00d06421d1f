// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/block.h"

#include <algorithm>
#include <utility>

namespace simt::executor {

__thread Running running __attribute__((tls_model("initial-exec"))) = {};

void Block::begin_launch(Grid& grid) {
  grid_ = &grid;
  const Request& request = grid.request();
  const uint3 extent{request.block.x, request.block.y, request.block.z};
  if (pack(extent) != pack(running.block_extent)) number_threads(extent);
  running.block_extent = extent;
  running.grid_extent = {request.grid.x, request.grid.y, request.grid.z};
  running.adversarial = grid.options().order == Order::random;
  running.longest_chain = 0;
  shared_.begin_launch(request.dynamic_bytes, grid.options().profile);
}

void Block::number_threads(uint3 extent) {
  threads_in_block_ = extent.x * extent.y * extent.z;
  for (unsigned thread = 0; thread < threads_in_block_; ++thread) {
    const unsigned row = thread / extent.x;
    threads_[thread].index = pack({thread % extent.x, row % extent.y, row / extent.y});
  }
}

bool Block::run(std::uint64_t block) {
  block_ = block;
  running.block = grid_->coordinates(block);
  shared_.poison();
  begin_threads();
  start_carrier(main_);
  if (const char* const name = shared_.overrun()) {
    report("shared-overrun", Where(), std::string("a write past the end of ") + name);
  }
  if (thrown_) grid_->note_exception(std::exchange(thrown_, nullptr));
  return !stopped_;
}

void Block::begin_threads() {
  const Options& options = grid_->options();
  schedule_.begin(options.order, threads_in_block_, grid_->seed(block_));
  quick_ = options.order == Order::forward;
  live_ = threads_in_block_;
  arrived_ = predicates_ = 0;
  first_exit_ = 0;
  idle_steps_ = 0;
  stopped_ = false;
  running.fresh = quick_ ? threads_in_block_ - 1 : 0;
  if (!quick_) count_warps(0);
}

/// Marks all threads of the block but the first `finished` as alive.
void Block::count_warps(unsigned finished) {
  for (unsigned first = 0; first < threads_in_block_; first += 32) {
    const unsigned lanes = std::min(32u, threads_in_block_ - first);
    std::uint32_t alive = 0xFFFFFFFFu >> (32 - lanes);
    if (finished > first) alive &= finished - first >= 32 ? 0 : 0xFFFFFFFFu << (finished - first);
    warps_[first / 32].begin(alive);
  }
}

/// Called at the first wait of a block: from then on the state of every thread is kept.
void Block::leave_quick_mode() {
  const unsigned finished = threads_in_block_ - 1 - running.fresh;
  running.fresh = 0;
  quick_ = false;
  live_ = threads_in_block_ - finished;
  current_ = static_cast<ThreadIndex>(finished);
  schedule_.skip(finished + 1);
  count_warps(finished);
}

unsigned Block::running_thread() {
  return quick_ ? threads_in_block_ - 1 - running.fresh : current_;
}

void Block::start_thread() {
  current_ = schedule_.start();
  running.thread = unpack(threads_[current_].index);
}

/// Starts the fresh threads on another stack; the running thread stops here.
void Block::start_carrier(Context& save) {
  stack_ = stacks_.take();
  jump(save, fresh_context<&Block::enter>(*stack_), *stack_);
}

void Block::enter() {
  const Stack from = entered();
  Block& block = *running.scheduler;
  if (!block.main_stack_.top) block.main_stack_ = from;  // the first jump comes from run()
  const Request& request = block.grid_->request();
  try {
    block.start_thread();
    request.run_threads(request.call);
  } catch (...) {
    block.thrown_ = std::current_exception();
  }
  if (block.thrown_) block.abandon();
  block.retire_carrier();
}

bool Block::next_thread() {
  if (quick_) return false;  // all have started, and none has waited
  finish_thread();
  if (!schedule_.prefers_start()) return false;
  start_thread();
  return true;
}

void Block::finish_thread() {
  --live_;
  idle_steps_ = 0;
  first_exit_ = current_;
  warps_[current_ / 32].alive &= ~(1u << current_ % 32);
  complete_what_waited_for(current_ / 32);
  if (arrived_ != 0 && arrived_ == live_) release_barrier();
}

/// Called if the running stack has no thread to go on with. The stack is not saved: whoever takes
/// it next starts at its top.
void Block::retire_carrier() {
  stacks_.give_back(stack_);
  const int next = quick_ ? kNobody : schedule_.next();
  if (next != kNobody) {
    const Thread& thread = threads_[static_cast<unsigned>(next)];
    jump(discarded_, thread.context, *thread.stack);
  }
  if (!quick_ && live_ != 0) deadlock();
  jump(discarded_, main_, main_stack_);
  std::terminate();  // nobody keeps discarded_
}

/// Leaves the block unfinished. Waiting threads never return, and their stacks are forgotten.
void Block::abandon() {
  stopped_ = true;
  for (Thread& thread : threads_) thread.waits = Op::none;
  stacks_.reclaim();
  jump(discarded_, main_, main_stack_);
  std::terminate();
}

void Block::report_thread(const char* kind, Where where, const std::string& text) {
  report(kind, where, thread_name(running_thread()) + " " + text);
}

void* Block::shared_memory(SharedSite& site) {
  void* const memory = shared_.find(site);
  if (memory) return memory;
  if (!add_shared(site)) abandon();  // nothing that owns memory may be left behind on this stack
  return shared_.find(site);
}

bool Block::add_shared(SharedSite& site) {
  const std::string fault = shared_.add(site);
  if (!fault.empty()) report("shared-memory-limit", Where(), fault);
  return fault.empty();
}

void Block::report(const char* kind, Where where, std::string text) {
  const uint3 at = grid_->coordinates(block_);
  text += " [block (" + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
          std::to_string(at.z) + ")]";
  grid_->findings().add(block_, kind, where, std::move(text));
}

std::string Block::thread_name(unsigned thread) const { return "thread " + std::to_string(thread); }

}  // namespace simt::executor
