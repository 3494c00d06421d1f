// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "simt/executor/cuda/warp.h"
#include "simt/executor/fibers/fiber.h"
#include "simt/executor/grid.h"
#include "simt/executor/runtime.h"
#include "simt/executor/schedule.h"
#include "simt/executor/shared_memory.h"

namespace simt::executor {

/// Packs a threadIdx into 32 bits.
inline std::uint32_t pack(uint3 index) { return index.x | index.y << 11 | index.z << 22; }
inline uint3 unpack(std::uint32_t packed) {
  return {packed & 0x7FF, packed >> 11 & 0x7FF, packed >> 22};
}

/// The machine of one worker runs one block at a time, with the threads as lazy fibers.
///
/// Threads run back to back on one stack. A thread that has to wait keeps that stack, and the next
/// thread gets another; a block without barriers never switches. Until the first wait, not even the
/// threads' states are kept ("quick").
class Block {
 public:
  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void begin_launch(Grid& grid);
  /// Runs block number `block` to its end. Returns false if the launch must stop: there was a hang,
  /// or the kernel threw.
  bool run(std::uint64_t block);
  /// The number of times that any thread of any block has waited.
  std::uint64_t waits() const { return waits_; }

  // Kernel threads call these through runtime.h:
  int barrier(Op op, int predicate, Where where);
  Exchange exchange(Op op, unsigned mask, const void* value, unsigned bytes, Where where);
  Exchange vote(Op op, unsigned mask, bool predicate, Where where);
  void give_way(Op op, bool changed, Where where);
  bool next_thread();
  unsigned active_mask();
  void* shared_memory(SharedSite& site);
  /// Called when the alarm rings: stops a thread that computes on and on and calls nothing here.
  void tick();
  void* dynamic_shared_memory() { return shared_.dynamic(); }
  /// Adds a finding of the running thread: "thread 3 " and the text.
  void report_thread(const char* kind, Where where, const std::string& text);
  /// Ends the launch from the stack of a thread. Nothing on that stack is destroyed.
  [[noreturn]] void abandon();
  /// Adds a finding of `text` followed by " [block (x,y,z)]".
  void report(const char* kind, Where where, std::string text);
  std::string thread_name(unsigned thread) const;
  unsigned running_lane() { return running_thread() % 32; }

 private:
  /// The state that is kept of a waiting thread. It is half a cache line: a barrier walks over it.
  struct alignas(32) Thread {
    Context context;
    Stack* stack;
    Where where;
    std::uint32_t index;  ///< threadIdx, packed
    Op waits = Op::none;
  };
  static_assert(sizeof(Thread) == 32);

  // These start and stop threads (block.cpp).
  void number_threads(uint3 extent);
  static void enter();
  void begin_threads();
  void count_warps(unsigned finished);
  void leave_quick_mode();
  unsigned running_thread();
  void start_thread();
  void start_carrier(Context& save);
  void finish_thread();
  [[noreturn]] void retire_carrier();
  bool add_shared(SharedSite& site);

  // These wait (wait.cpp).
  ThreadIndex prepare_to_wait(Op op, Where where);
  void wait(ThreadIndex me);
  void continue_with(ThreadIndex next, ThreadIndex me);
  void go_on(ThreadIndex me);
  void let_others_run(ThreadIndex me);
  void prefetch_next() const;

  // These handle barriers (barrier.cpp).
  void release_barrier();
  void report_divergent_barrier(Thread& thread, ThreadIndex me);
  void report_exited_threads();

  // These handle warp collectives (collective.cpp).
  Page& open_page(ThreadIndex me, Op op, unsigned mask, unsigned bytes, Where where, Board*& board);
  Exchange meet(ThreadIndex me, Board& board, Page& page);
  void complete(unsigned warp, Board& board);
  void complete_what_waited_for(unsigned warp);
  Exchange alone(ThreadIndex me, Op op, const void* value, unsigned bytes, bool predicate,
                 Where where, unsigned mask);

  // These find and report hangs (hang.cpp).
  std::string who_waits() const;
  [[noreturn]] void deadlock();
  [[noreturn]] void hang();
  void watch(Op op, Where where);
  std::uint64_t fingerprint() const;

  Grid* grid_ = nullptr;
  unsigned threads_in_block_ = 0;
  unsigned live_ = 0;
  bool quick_ = false;
  bool stopped_ = false;
  ThreadIndex current_ = 0;
  Stack* stack_ = nullptr;  ///< the running one

  unsigned arrived_ = 0;  ///< at the barrier
  unsigned predicates_ = 0;
  int barrier_result_ = 0;
  ThreadIndex first_exit_ = 0;

  std::uint64_t block_ = 0;
  std::uint64_t idle_steps_ = 0;  ///< atomics that changed nothing since the last progress
  std::uint64_t blocks_seen_ = 0;
  std::uint64_t waits_ = 0;
  std::uint64_t last_fingerprint_ = 0;
  int unchanged_ticks_ = 0;
  Context main_ = nullptr;
  Context discarded_ = nullptr;
  Stack main_stack_{nullptr, nullptr};
  std::exception_ptr thrown_;
  Page alone_;

  Schedule schedule_;
  std::array<ThreadIndex, kMaxThreads> waiters_;
  std::array<Thread, kMaxThreads> threads_{};
  std::array<Warp, kMaxThreads / 32> warps_;
  StackPool stacks_;
  SharedMemory shared_;
};

}  // namespace simt::executor
