// SPDX-License-Identifier: Apache-2.0
// Wrong warp collectives: each fault beside the same kernel without it.
#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

enum class WarpFault { none, divergent_branch, wrong_mask, inactive_lane, different_collectives };

template <WarpFault fault>
__global__ void warp_sum(const float* x, float* sum) {
  const unsigned lane = threadIdx.x;
  float value = x[lane];
  if (fault == WarpFault::divergent_branch && lane >= 16) return __syncthreads();
  if (fault == WarpFault::inactive_lane && lane >= 16) return;
  const unsigned mask = fault == WarpFault::wrong_mask ? 0x0000FFFFu : 0xFFFFFFFFu;
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(mask, value, lanes);
  if (fault == WarpFault::different_collectives && lane == 5)
    __syncwarp();
  else
    __all_sync(0xFFFFFFFFu, 1);
  if (lane == 0) *sum = value;
}

template <WarpFault fault>
std::optional<ExecutionError> run(const Options& options, float& sum) {
  const Scope scope(options);
  Buffer<float> x = cpu_buffer(counting(32), "x");
  Buffer<float> out(Backend::cpu, 1, "out");
  auto error =
      error_of([&] { launch(warp_sum<fault>, {.grid = 2, .block = 32}, x.data(), out.data()); });
  sum = out.download()[0];
  return error;
}

template <WarpFault fault>
void expect_finding(const char* kind) {
  for (const Options& options : all_schedules()) {
    float sum = 0;
    const auto error = run<fault>(options, sum);
    EXPECT_TRUE(found(error, kind)) << text_of(error);
  }
}

TEST(SimtWarpFaults, TheRightKernelPassesEverySchedule) {
  for (const Options& options : all_schedules()) {
    float sum = 0;
    const auto error = run<WarpFault::none>(options, sum);
    EXPECT_FALSE(error) << text_of(error);
    EXPECT_EQ(sum, 31 * 32 / 2);
  }
}

TEST(SimtWarpFaults, AShuffleInADivergentBranchIsADeadlockThatSaysWhoWaitsWhere) {
  for (const Options& options : all_schedules()) {
    float sum = 0;
    const auto error = run<WarpFault::divergent_branch>(options, sum);
    ASSERT_TRUE(found(error, "deadlock")) << text_of(error);
    const std::string text = text_of(error);
    EXPECT_NE(text.find("16 thread(s) [0..15] wait in __shfl_xor_sync"), std::string::npos) << text;
    EXPECT_NE(text.find("16 thread(s) [16..31] wait in __syncthreads"), std::string::npos) << text;
    EXPECT_NE(text.find("warp_faults_test.cpp:"), std::string::npos) << text;
  }
}

TEST(SimtWarpFaults, AMaskThatDoesNotNameTheCaller) {
  expect_finding<WarpFault::wrong_mask>("warp-mask");
}

TEST(SimtWarpFaults, ReadingALaneThatReturned) {
  expect_finding<WarpFault::inactive_lane>("inactive-lane");
}

TEST(SimtWarpFaults, DifferentCollectivesUnderOneMask) {
  expect_finding<WarpFault::different_collectives>("warp-divergence");
}

/// A tree in shared memory within one warp, with and without __syncwarp.
template <bool synchronised>
__global__ void tree_in_a_warp(const float* x, float* sum) {
  SIMT_SHARED(float, values, [64]);
  const unsigned i = threadIdx.x;
  values[i] = x[i];
  values[i + 32] = 0.0f;
  if (synchronised) __syncwarp();
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    const float other = values[i + stride];
    if (synchronised) __syncwarp();
    values[i] += other;
    if (synchronised) __syncwarp();
  }
  if (i == 0) *sum = values[0];
}

template <bool synchronised>
float tree_sum(const Options& options) {
  const Scope scope(options);
  Buffer<float> x = cpu_buffer(counting(32), "x");
  Buffer<float> out(Backend::cpu, 1, "out");
  launch(tree_in_a_warp<synchronised>, {.block = 32}, x.data(), out.data());
  return out.download()[0];
}

TEST(SimtWarpFaults, AMissingSyncwarpShowsAsAWrongValue) {
  EXPECT_NE(tree_sum<false>({.order = Order::forward}), 31 * 32 / 2);
  for (const Options& options : all_schedules()) EXPECT_EQ(tree_sum<true>(options), 31 * 32 / 2);
}

}  // namespace
}  // namespace simt::testing
