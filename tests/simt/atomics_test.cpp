// SPDX-License-Identifier: Apache-2.0
#include <climits>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

__global__ void accumulate(unsigned* integers, float* real, double* wide) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&integers[0], 1u);
  atomicMax(&integers[1], i);
  atomicMin(&integers[2], i);
  atomicOr(&integers[3], 1u << i % 32);
  atomicXor(&integers[4], 1u << i % 16);
  atomicInc(&integers[5], 9u);
  atomicSub(&integers[6], 2u);
  atomicAnd(&integers[7], ~(1u << i % 8));
  atomicAdd(real, 1.0f);
  atomicAdd(wide, 0.5);
}

TEST(SimtAtomics, EveryKindFromSeveralWorkers) {
  constexpr unsigned kBlocks = 64;
  constexpr unsigned kThreads = 256;
  constexpr unsigned kAll = kBlocks * kThreads;
  for (Options options : all_schedules()) {
    options.workers = 2;
    const Scope scope(options);
    Buffer<unsigned> integers(Backend::cpu, 8, "integers");
    Buffer<float> real = cpu_buffer({0.0f}, "real");
    Buffer<double> wide(Backend::cpu, 1, "wide");
    integers.upload(std::vector<unsigned>{0, 0, UINT_MAX, 0, 0, 0, 2 * kAll, UINT_MAX});
    wide.upload(std::vector<double>{0.0});
    launch(accumulate, {.grid = kBlocks, .block = kThreads}, integers.data(), real.data(),
           wide.data());
    const std::vector<unsigned> want{kAll, kAll - 1, 0, UINT_MAX, 0, kAll % 10, 0, ~0xFFu};
    EXPECT_EQ(integers.download(), want);
    EXPECT_EQ(real.download()[0], static_cast<float>(kAll));
    EXPECT_EQ(wide.download()[0], 0.5 * kAll);
  }
}

/// The last block to finish adds up what the others left: fence, then an atomic counter.
__global__ void sum_by_last_block(const float* x, float* partial, unsigned* finished, float* sum) {
  SIMT_SHARED(int, is_last);
  SIMT_SHARED(float, values, [64]);
  const unsigned i = threadIdx.x;
  values[i] = x[blockIdx.x * 64 + i];
  __syncthreads();
  for (unsigned stride = 32; stride > 0; stride /= 2) {
    if (i < stride) values[i] += values[i + stride];
    __syncthreads();
  }
  if (i == 0) {
    partial[blockIdx.x] = values[0];
    __threadfence();
    is_last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last == 0 || i != 0) return;
  float total = 0.0f;
  for (unsigned block = 0; block < gridDim.x; ++block) total += partial[block];
  *sum = total;
}

TEST(SimtAtomics, TheLastBlockSeesAllOthers) {
  constexpr unsigned kBlocks = 90;
  Buffer<float> x = cpu_buffer(counting(std::size_t{kBlocks} * 64), "x");
  for (Options options : all_schedules()) {
    options.workers = 2;
    const Scope scope(options);
    Buffer<float> partial(Backend::cpu, kBlocks, "partial");
    Buffer<unsigned> finished(Backend::cpu, 1, "finished");
    Buffer<float> sum(Backend::cpu, 1, "sum");
    finished.upload(std::vector<unsigned>{0});
    launch(sum_by_last_block, {.grid = kBlocks, .block = 64}, x.data(), partial.data(),
           finished.data(), sum.data());
    EXPECT_EQ(sum.download()[0], kBlocks * 64 * (kBlocks * 64 - 1) / 2);
  }
}

/// A read, a pause that may switch, a write: not an addition.
__global__ void torn_add(int* sum, int* pause) {
  const int before = *sum;
  atomicAdd(pause, 1);
  *sum = before + 1;
}

TEST(SimtAtomics, RandomOrderSwitchesAtAtomics) {
  std::size_t torn = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Scope scope({.order = Order::random, .seed = seed});
    Buffer<int> counters(Backend::cpu, 2, "counters");
    counters.upload(std::vector<int>{0, 0});
    launch(torn_add, {.block = 64}, counters.data(), counters.data() + 1);
    EXPECT_EQ(counters.download()[1], 64);
    torn += counters.download()[0] != 64;
  }
  EXPECT_GT(torn, 0u);
}

}  // namespace
}  // namespace simt::testing
