// SPDX-License-Identifier: Apache-2.0
// The progress of a launch is reported by steps and not by the clock.
#include "simt/progress.h"

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

constexpr unsigned kBlockSize = 512;
/// Blocks of so many threads that are one call together.
constexpr unsigned kBlocksPerCall = ProgressScope::kStepsPerCall / kBlockSize;

struct Reported {
  int calls = 0;
  std::uint64_t steps = 0;
};

__global__ void rounds_of_barriers(const Reported* reported, int* calls_at_the_end, int rounds) {
  for (int i = 0; i < rounds; ++i) __syncthreads();
  if (threadIdx.x == 0) *calls_at_the_end = reported->calls;
}

/// The progress of one launch, with `before` launches of one thread in front of it.
Reported reported_of(unsigned blocks, int rounds, std::uint64_t before = 0,
                     int* calls_at_the_end = nullptr) {
  const Scope one_worker({.workers = 1});
  Reported reported;
  const ProgressScope progress([&](std::uint64_t steps) {
    ++reported.calls;
    reported.steps += steps;
  });
  int ignored = 0;
  int* const calls = calls_at_the_end != nullptr ? calls_at_the_end : &ignored;
  for (std::uint64_t i = 0; i < before; ++i) launch(rounds_of_barriers, {}, &reported, calls, 0);
  launch(rounds_of_barriers, {.grid = blocks, .block = kBlockSize}, &reported, calls, rounds);
  return reported;
}

TEST(SimtProgress, ThreadsAreSteps) {
  EXPECT_EQ(reported_of(kBlocksPerCall - 1, 0).calls, 0);
  EXPECT_EQ(reported_of(kBlocksPerCall, 0).calls, 1);
  EXPECT_EQ(reported_of(3 * kBlocksPerCall, 0).steps, 3 * ProgressScope::kStepsPerCall);
}

TEST(SimtProgress, WaitsAtBarriersAreSteps) {
  EXPECT_EQ(reported_of(kBlocksPerCall / 4, 2).calls, 0);
  EXPECT_EQ(reported_of(kBlocksPerCall / 4, 3).calls, 1);
}

// Without an end it would wait for the deadline, as it should.
TEST(SimtProgress, ABlockThatGoesRoundAndRoundIsSilent) {
  int calls = -1;
  const Reported reported = reported_of(1, 4 * static_cast<int>(kBlocksPerCall), 0, &calls);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(reported.calls, 1);
}

TEST(SimtProgress, AHostThatLaunchesForEverIsSilent) {
  EXPECT_EQ(reported_of(kBlocksPerCall, 0, ProgressScope::kReportedLaunches - 1).calls, 1);
  EXPECT_EQ(reported_of(kBlocksPerCall, 0, ProgressScope::kReportedLaunches).calls, 0);
}

TEST(SimtProgress, TheInnermostScopeIsCalled) {
  int outer_calls = 0;
  const ProgressScope outer([&](std::uint64_t) { ++outer_calls; });
  EXPECT_EQ(reported_of(kBlocksPerCall, 0).calls, 1);
  EXPECT_EQ(outer_calls, 0);
}

}  // namespace
}  // namespace simt::testing
