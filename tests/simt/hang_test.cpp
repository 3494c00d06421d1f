// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for ever are findings; those that wait for something that comes are not.
#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

/// Block 0 waits for a flag that the last block sets: no device promises that both are resident.
__global__ void wait_for_block(int* flag, int waiter, int setter) {
  const int block = static_cast<int>(blockIdx.x);
  if (block == setter && threadIdx.x == 0) atomicExch(flag, 1);
  if (block == waiter && threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  __syncthreads();
}

std::optional<ExecutionError> waiting(const Options& options, int waiter, int setter) {
  const Scope scope(options);
  Buffer<int> flag(Backend::cpu, 1, "flag");
  flag.upload(std::vector<int>{0});
  return error_of(
      [&] { launch(wait_for_block, {.grid = 2, .block = 64}, flag.data(), waiter, setter); });
}

TEST(SimtHang, ASpinOnALaterBlockIsFoundWithItsPlace) {
  const auto error = waiting({.order = Order::forward, .workers = 1}, 0, 1);
  ASSERT_TRUE(found(error, "hang")) << text_of(error);
  const std::string text = text_of(error);
  EXPECT_NE(text.find("1 thread(s) [0] wait in an atomic at hang_test.cpp:"), std::string::npos)
      << text;
  EXPECT_NE(text.find("63 thread(s) [1..63] wait in __syncthreads"), std::string::npos) << text;
}

TEST(SimtHang, ASpinOnAnEarlierBlockEnds) {
  const auto error = waiting({.order = Order::forward, .workers = 1}, 1, 0);
  EXPECT_FALSE(error) << text_of(error);
}

/// Threads of one block hand a token around by atomics: every thread spins until it is its turn.
__global__ void token(int* turn) {
  const int me = static_cast<int>(threadIdx.x);
  while (atomicCAS(turn, me, me + 1) != me) {
  }
}

__global__ void token_backwards(int* turn) {
  const int me = static_cast<int>(blockDim.x - 1 - threadIdx.x);
  while (atomicCAS(turn, me, me + 1) != me) {
  }
}

TEST(SimtHang, ThreadsThatSpinForEachOtherGetTheirTurns) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    for (const auto kernel : {token, token_backwards}) {
      Buffer<int> turn(Backend::cpu, 1, "turn");
      turn.upload(std::vector<int>{0});
      const auto error = error_of([&] { launch(kernel, {.block = 128}, turn.data()); });
      EXPECT_FALSE(error) << text_of(error);
      EXPECT_EQ(turn.download()[0], 128);
    }
  }
}

TEST(SimtHang, ATokenNobodyHoldsIsAHang) {
  const Scope scope({.watchdog = 100000});
  Buffer<int> turn(Backend::cpu, 1, "turn");
  turn.upload(std::vector<int>{-1});
  const auto error = error_of([&] { launch(token, {.block = 128}, turn.data()); });
  EXPECT_TRUE(found(error, "hang")) << text_of(error);
}

/// One block waits for another by volatile loads, which the executor cannot see.
__global__ void wait_volatile(int* flag, unsigned waiter) {
  volatile int* const seen = flag;
  if (blockIdx.x != waiter && threadIdx.x == 0) *seen = 1;
  if (blockIdx.x == waiter && threadIdx.x == 5) {
    while (*seen == 0) {
    }
  }
  __syncthreads();
}

std::optional<ExecutionError> waiting_volatile(Order order, unsigned waiter) {
  const Scope scope({.order = order, .workers = 1, .watchdog_seconds = 0.1});
  Buffer<int> flag(Backend::cpu, 1, "flag");
  flag.upload(std::vector<int>{0});
  return error_of([&] { launch(wait_volatile, {.grid = 2, .block = 64}, flag.data(), waiter); });
}

TEST(SimtHang, ASpinOnVolatileLoadsIsStopped) {
  for (const Order order : {Order::forward, Order::reverse}) {
    const unsigned first = order == Order::forward ? 0 : 1;
    const auto error = waiting_volatile(order, first);
    ASSERT_TRUE(found(error, "hang")) << text_of(error);
    EXPECT_NE(text_of(error).find("1 thread(s) [5]"), std::string::npos) << text_of(error);
    EXPECT_FALSE(waiting_volatile(order, 1 - first));
  }
}

__global__ void half_waits(int* out) {
  if (threadIdx.x < 32)
    __syncthreads();
  else if (threadIdx.x == 40)
    __syncwarp();
  out[threadIdx.x] = 1;
}

TEST(SimtHang, AfterADeadlockTheNextLaunchWorks) {
  Buffer<int> out(Backend::cpu, 64, "out");
  const auto error = error_of([&] { launch(half_waits, {.grid = 100, .block = 64}, out.data()); });
  ASSERT_TRUE(error);
  Buffer<int> turn(Backend::cpu, 1, "turn");
  turn.upload(std::vector<int>{0});
  EXPECT_FALSE(error_of([&] { launch(token, {.block = 64}, turn.data()); }));
}

}  // namespace
}  // namespace simt::testing
