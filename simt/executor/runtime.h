// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>

#include <vector_types.h>

/// The functions that compiled kernels call in the executor. Each is on some kernel's hot path.
namespace simt::executor {

/// A place in a kernel's source; one pointer wide.
using Where = std::source_location;

/// The last parameter of every function that may wait: the caller's place, which findings name.
#define SIMT_WHERE ::simt::executor::Where where = ::simt::executor::Where::current()

/// Every operation at which a thread may wait.
enum class Op : std::uint8_t {
  none,
  syncthreads,
  syncthreads_and,
  syncthreads_or,
  syncthreads_count,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  any,
  all,
  syncwarp,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  atomic,
  nanosleep,
  computing,  ///< nothing: the thread goes on without ever calling here
};

class Block;

/// The running CUDA thread as its kernel sees it. Each worker has one, rewritten at every switch.
struct Running {
  uint3 thread{};                  ///< threadIdx
  std::uint32_t fresh = 0;         ///< threads that may start next without asking the scheduler
  uint3 block{};                   ///< blockIdx
  uint3 block_extent{};            ///< blockDim
  uint3 grid_extent{};             ///< gridDim
  std::int32_t longest_chain = 0;  ///< of simt::Counted, in this launch
  Block* scheduler = nullptr;
  bool adversarial = false;  ///< atomics are points where the scheduler may switch
};

// The model initial-exec takes one instruction to reach it, even in position-independent code.
extern __thread Running running __attribute__((tls_model("initial-exec")));

/// The values that the lanes of one warp collective brought, until the lane's next collective.
struct Page {
  static constexpr unsigned kMaxBytes = 16;
  alignas(64) std::byte values[32 * kMaxBytes];
  std::uint32_t present;  ///< lanes that took part
  std::uint32_t votes;    ///< lanes whose predicate was true
  std::uint32_t unread;   ///< lanes that have not come back yet
};

struct Exchange {
  const Page* page;
  unsigned lane;
};

/// Waits for all live threads of the block; returns the value of the _and, _or and _count forms.
int barrier(Op op, int predicate, Where where);
/// Brings `bytes` bytes of value to the collective of `mask` and waits for the other lanes of it.
Exchange exchange(Op op, unsigned mask, const void* value, unsigned bytes, Where where);
/// Does the same for collectives that need one bit a lane.
Exchange vote(Op op, unsigned mask, bool predicate, Where where);
void report_inactive_lane(Op op, unsigned lane, unsigned source, Where where);
unsigned active_mask();
/// Lets other threads run: a thread whose atomic changed nothing may be spinning.
void give_way(Op op, bool changed, Where where);
/// Called when the thread has returned: true if this stack goes on with another fresh thread.
bool next_thread();

/// A declaration of static shared memory, constant-initialised; first use sets `index`.
struct SharedSite {
  std::size_t bytes;
  std::size_t alignment;
  const char* name;
  std::atomic<int> index{-1};
};

void* shared_memory(SharedSite& site);
void* dynamic_shared_memory();

/// One launch, with the kernel's type erased.
struct Request {
  dim3 grid;
  dim3 block;
  dim3 cluster;
  std::size_t dynamic_bytes;
  const void* stream;
  const void* call;                       ///< kernel and arguments
  void (*run_threads)(const void* call);  ///< runs threads until next_thread() says no
};

/// Runs all blocks; throws simt::ExecutionError if there are findings, or the kernel's exception.
void execute(const Request& request);

}  // namespace simt::executor
