// SPDX-License-Identifier: Apache-2.0
// A random schedule is a pure function of its seed, and seeds differ.
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

/// Every thread takes a number before and after a barrier: the trace of the schedule.
__global__ void take_numbers(int* next, int* trace) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const counter = next + blockIdx.x;
  trace[2 * i] = (*counter)++;
  __syncthreads();
  trace[2 * i + 1] = (*counter)++;
}

std::vector<int> trace(const Options& options) {
  const Scope scope(options);
  constexpr unsigned kBlocks = 64;
  constexpr unsigned kThreads = 128;
  Buffer<int> next(Backend::cpu, kBlocks, "next");
  Buffer<int> out(Backend::cpu, std::size_t{kBlocks} * kThreads * 2, "out");
  next.upload(std::vector<int>(kBlocks, 0));
  launch(take_numbers, {.grid = kBlocks, .block = kThreads}, next.data(), out.data());
  return out.download();
}

TEST(SimtSchedule, ForwardAndReverseAreWhatTheySay) {
  const std::vector<int> forward = trace({.order = Order::forward});
  const std::vector<int> reverse = trace({.order = Order::reverse});
  for (int thread = 0; thread < 128; ++thread) {
    const std::size_t at = 2 * static_cast<std::size_t>(thread);
    EXPECT_EQ(forward[at], thread);
    EXPECT_EQ(forward[at + 1], 128 + thread);
    EXPECT_EQ(reverse[at], 127 - thread);
    EXPECT_EQ(reverse[at + 1], 255 - thread);
  }
}

TEST(SimtSchedule, ASeedRepeatsWhateverRanBeforeAndOnHoweverManyWorkers) {
  const std::vector<int> once = trace({.order = Order::random, .seed = 5, .workers = 1});
  trace({.order = Order::random, .seed = 6});
  EXPECT_EQ(trace({.order = Order::random, .seed = 5, .workers = 1}), once);
  EXPECT_EQ(trace({.order = Order::random, .seed = 5, .workers = 4}), once);
}

TEST(SimtSchedule, SeedsAndLaunchesDiffer) {
  std::set<std::vector<int>> traces;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    traces.insert(trace({.order = Order::random, .seed = seed}));
  }
  EXPECT_EQ(traces.size(), kSeeds);
}

TEST(SimtSchedule, ScopesNestAndBelongToTheirThread) {
  const Scope outer({.seed = 11});
  {
    const Scope inner({.seed = 12});
    EXPECT_EQ(current_options().seed, 12u);
    std::thread([] { EXPECT_EQ(current_options().seed, Options{}.seed); }).join();
  }
  EXPECT_EQ(current_options().seed, 11u);
}

TEST(SimtSchedule, SeveralThreadsMayLaunchAtOnce) {
  const std::vector<int> want = trace({.order = Order::random, .seed = 9});
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> got(4);
  for (std::vector<int>& mine : got) {
    threads.emplace_back([&mine] { mine = trace({.order = Order::random, .seed = 9}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<int>& mine : got) EXPECT_EQ(mine, want);
}

}  // namespace
}  // namespace simt::testing
