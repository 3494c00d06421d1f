// SPDX-License-Identifier: Apache-2.0
// Wrong barriers: each fault beside the same kernel without it.
#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

constexpr unsigned kSummingThreads = 256;

enum class Fault {
  none,
  no_barrier_before_read,
  no_barrier_before_reuse,
  unwritten_shared,
  divergent_barrier,
  return_before_barrier
};

/// Sums of x and of 2x over the block, through the same shared array twice.
template <Fault fault>
__global__ void two_sums(const float* x, float* sums) {
  SIMT_SHARED(float, partial, [kSummingThreads / 32]);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  if (fault == Fault::return_before_barrier && warp == 7) return;
  for (unsigned round = 0; round < 2; ++round) {
    float sum = x[threadIdx.x] * static_cast<float>(round + 1);
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, lanes);
    if (fault != Fault::no_barrier_before_reuse) __syncthreads();
    const bool writes = fault != Fault::unwritten_shared || warp != 3;
    if (lane == 0 && writes) partial[warp] = sum;
    if (fault == Fault::divergent_barrier) {
      if (warp == 0) __syncthreads();
    } else if (fault != Fault::no_barrier_before_read) {
      __syncthreads();
    }
    float total = 0.0f;
    for (const float part : partial) total += part;
    if (threadIdx.x == 0) sums[blockIdx.x * 2 + round] = total;
  }
  __syncthreads();
}

struct Outcome {
  bool right;
  std::optional<ExecutionError> error;
};

template <Fault fault>
Outcome run(const Options& options) {
  const Scope scope(options);
  constexpr unsigned kBlocks = 4;
  Buffer<float> x = cpu_buffer(counting(kSummingThreads), "x");
  Buffer<float> sums(Backend::cpu, std::size_t{kBlocks} * 2, "sums");
  const auto error = error_of([&] {
    launch(two_sums<fault>, {.grid = kBlocks, .block = kSummingThreads}, x.data(), sums.data());
  });
  constexpr float kSum = 0.5f * (kSummingThreads * (kSummingThreads - 1));
  bool right = true;
  for (const float sum : sums.download()) right = right && (sum == kSum || sum == 2 * kSum);
  return {right, error};
}

template <Fault fault>
std::size_t wrong_values() {
  std::size_t wrong = 0;
  for (const Options& options : all_schedules()) wrong += !run<fault>(options).right;
  return wrong;
}

TEST(SimtBarrierFaults, TheRightKernelPassesEverySchedule) {
  for (const Options& options : all_schedules()) {
    const Outcome outcome = run<Fault::none>(options);
    EXPECT_TRUE(outcome.right);
    EXPECT_FALSE(outcome.error) << text_of(outcome.error);
  }
}

TEST(SimtBarrierFaults, NoBarrierBeforeTheReadShowsInForwardOrder) {
  EXPECT_FALSE(run<Fault::no_barrier_before_read>({.order = Order::forward}).right);
}

TEST(SimtBarrierFaults, NoBarrierBeforeTheReadShowsInRandomOrder) {
  EXPECT_FALSE(run<Fault::no_barrier_before_read>({.order = Order::random}).right);
}

TEST(SimtBarrierFaults, NoBarrierBeforeReuseShowsWithinTheSeeds) {
  EXPECT_GT(wrong_values<Fault::no_barrier_before_reuse>(), kSeeds / 2);
}

TEST(SimtBarrierFaults, UnwrittenSharedMemoryIsNan) {
  for (const Options& options : all_schedules()) {
    EXPECT_FALSE(run<Fault::unwritten_shared>(options).right);
  }
}

TEST(SimtBarrierFaults, ADivergentBarrierIsFoundWithBothPlaces) {
  for (const Options& options : all_schedules()) {
    const Outcome outcome = run<Fault::divergent_barrier>(options);
    ASSERT_TRUE(found(outcome.error, "barrier-divergence")) << text_of(outcome.error);
    EXPECT_NE(text_of(outcome.error).find("barrier_faults_test.cpp:"), std::string::npos);
  }
}

TEST(SimtBarrierFaults, AReturnBeforeABarrierIsFound) {
  for (Options options : all_schedules()) {
    ASSERT_TRUE(found(run<Fault::return_before_barrier>(options).error, "exit-before-barrier"));
    options.exit_before_barrier_is_error = false;
    EXPECT_FALSE(run<Fault::return_before_barrier>(options).error);
  }
}

}  // namespace
}  // namespace simt::testing
