// SPDX-License-Identifier: Apache-2.0
// Poison and guard bands: what was never written shows, what was written outside is found.
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

TEST(SimtMemory, StartsAsNanAndAligned) {
  for (const std::size_t size : {1u, 63u, 64u, 1000u}) {
    Buffer<float> buffer(Backend::cpu, size, "buffer");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % Memory::kAlignment, 0u);
    for (const float value : buffer.download()) EXPECT_TRUE(std::isnan(value));
    EXPECT_TRUE(buffer.memory().guards_intact());
  }
}

TEST(SimtMemory, CopiesWithinItsRangeOnly) {
  Memory memory(Backend::cpu, 16, "memory");
  const std::uint32_t word = 7;
  std::uint32_t back = 0;
  memory.upload(&word, sizeof word, 12);
  memory.download(&back, sizeof back, 12);
  EXPECT_EQ(back, word);
  EXPECT_THROW(memory.upload(&word, sizeof word, 13), std::out_of_range);
  EXPECT_THROW(memory.download(&back, sizeof back, 17), std::out_of_range);
  Memory nothing(Backend::cpu, 0, "nothing");
  EXPECT_NO_THROW(nothing.upload(&word, 0));
}

/// Writes by how many bytes its second array misses the alignment.
__global__ void misses(float* y) {
  SIMT_SHARED(char, first, [3]);
  SIMT_SHARED_ALIGNED(128, float, second, [2]);
  first[0] = 0;
  second[0] = 0;
  y[0] = static_cast<float>(reinterpret_cast<std::uintptr_t>(&second) % 128);
}

TEST(SimtMemory, SharedMemoryIsAlignedAsItIsDeclared) {
  Buffer<float> y(Backend::cpu, 1, "y");
  launch(misses, {}, y.data());
  EXPECT_EQ(y.download().front(), 0);
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program at the very write
__global__ void write_at(float* y, int index) { y[index] = 1.0f; }

std::optional<ExecutionError> writing_at(int index) {
  Buffer<float> y(Backend::cpu, 100, "y");
  return error_of([&] { launch(write_at, {}, y.data(), index); });
}

TEST(SimtMemory, AWriteInTheGuardBandIsFound) {
  EXPECT_FALSE(writing_at(0));
  EXPECT_FALSE(writing_at(99));
  const auto after = writing_at(101);
  ASSERT_TRUE(found(after, "guard-band")) << text_of(after);
  EXPECT_NE(text_of(after).find("y: written past its end, at byte 4"), std::string::npos);
  const auto before = writing_at(-1);
  ASSERT_TRUE(found(before, "guard-band")) << text_of(before);
  EXPECT_NE(text_of(before).find("y: written before its start"), std::string::npos);
}

TEST(SimtMemory, AnOverrunOfSharedMemoryIsFound) {
  const auto error = [](int index, std::size_t dynamic_bytes) {
    const auto overrun = +[](int at) {
      SIMT_SHARED(float, first, [5]);
      SIMT_DYN_SHARED(float, second);
      first[at] = 1.0f;
      second[at] = 1.0f;
    };
    return error_of([&] { launch(overrun, {.smem = dynamic_bytes}, index); });
  };
  EXPECT_FALSE(error(4, 5 * sizeof(float)));
  const auto both = error(5, 6 * sizeof(float));
  ASSERT_TRUE(found(both, "shared-overrun")) << text_of(both);
  EXPECT_NE(text_of(both).find("first"), std::string::npos);
  const auto dynamic = error(4, 4 * sizeof(float) + 1);
  ASSERT_TRUE(found(dynamic, "shared-overrun")) << text_of(dynamic);
  EXPECT_NE(text_of(dynamic).find("dynamic"), std::string::npos);
}
#endif

template <bool writes_tail>
__global__ void copy_in_fours(const float* x, float* y, unsigned size) {
  const unsigned i = 4 * threadIdx.x;
  if (i + 3 < size) {
    for (unsigned k = 0; k < 4; ++k) y[i + k] = x[i + k];
  } else if (writes_tail) {
    for (unsigned k = i; k < size; ++k) y[k] = x[k];
  }
}

TEST(SimtMemory, AnUnwrittenTailIsNan) {
  const std::vector<float> input = counting(103);
  for (const bool writes_tail : {true, false}) {
    Buffer<float> x = cpu_buffer(input, "x");
    Buffer<float> y(Backend::cpu, input.size(), "y");
    launch(writes_tail ? copy_in_fours<true> : copy_in_fours<false>, {.block = 32}, x.data(),
           y.data(), 103u);
    EXPECT_EQ(y.download() == input, writes_tail);
    EXPECT_EQ(std::isnan(y.download().back()), !writes_tail);
  }
}

/// Shared memory of one block must not serve the next one.
template <bool fills_tail>
__global__ void sum_with_tail(const float* x, float* sums, unsigned size) {
  SIMT_SHARED(float, values, [64]);
  const unsigned i = threadIdx.x;
  if (blockIdx.x == 0 || i < size)
    values[i] = x[i];
  else if (fills_tail)
    values[i] = 0.0f;
  __syncthreads();
  if (i != 0) return;
  float sum = 0.0f;
  for (const float value : values) sum += value;
  sums[blockIdx.x] = sum;
}

TEST(SimtMemory, AStaleSharedTailIsNan) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    Buffer<float> x = cpu_buffer(counting(64), "x");
    Buffer<float> sums(Backend::cpu, 2, "sums");
    launch(sum_with_tail<true>, {.grid = 2, .block = 64}, x.data(), sums.data(), 50u);
    EXPECT_EQ(sums.download()[1], 49 * 50 / 2);
    launch(sum_with_tail<false>, {.grid = 2, .block = 64}, x.data(), sums.data(), 50u);
    EXPECT_TRUE(std::isnan(sums.download()[1]));
  }
}

/// Blocks that depend on each other's order, and two threads that write one element.
__global__ void scale_by_published(float* scale, float* y) {
  if (blockIdx.x == 0) *scale = 2.0f;
  y[blockIdx.x] = *scale;
}
__global__ void all_write_one(float* y) { *y = static_cast<float>(threadIdx.x); }

TEST(SimtMemory, OrderDependentResultsDifferBetweenSchedules) {
  const auto results = [](const Options& options) {
    const Scope scope(options);
    Buffer<float> scale = cpu_buffer({1.0f}, "scale");
    Buffer<float> y(Backend::cpu, 8, "y");
    Buffer<float> z(Backend::cpu, 1, "z");
    launch(scale_by_published, {.grid = 8}, scale.data(), y.data());
    launch(all_write_one, {.block = 64}, z.data());
    return std::pair(y.download(), z.download());
  };
  const auto forward = results({.order = Order::forward, .workers = 1});
  const auto reverse = results({.order = Order::reverse, .workers = 1});
  EXPECT_NE(forward.first, reverse.first);
  EXPECT_NE(forward.second, reverse.second);
}

TEST(SimtMemory, NoDeviceIsAnErrorWithoutCuda) {
#if !defined(GRADPROOF_WITH_CUDA)
  EXPECT_THROW(Memory(Backend::cuda, 16, "memory"), NoDevice);
#else
  GTEST_SKIP() << "built with CUDA: whether there is a device depends on the machine";
#endif
}

}  // namespace
}  // namespace simt::testing
