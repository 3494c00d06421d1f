// SPDX-License-Identifier: Apache-2.0
// Right kernels give right values under every schedule and on any number of workers.
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

__global__ void square(const float* x, float* y, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = x[i] * x[i];
}

TEST(SimtKernels, ElementwiseUnderEverySchedule) {
  const std::vector<float> input = counting(1003);
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    Buffer<float> x = cpu_buffer(input, "x");
    Buffer<float> y(Backend::cpu, input.size(), "y");
    launch(square, {.grid = 4, .block = 256}, x.data(), y.data(), 1003u);
    const std::vector<float> got = y.download();
    for (std::size_t i = 0; i < input.size(); ++i) ASSERT_EQ(got[i], input[i] * input[i]);
  }
}

__global__ void write_own_index(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = thread;
  __syncthreads();
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1000 * block;
}

TEST(SimtKernels, ThreeDimensionalIndices) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    const unsigned threads = 5 * 3 * 4;
    const unsigned blocks = 2 * 3 * 2;
    Buffer<unsigned> out(Backend::cpu, std::size_t{threads} * blocks, "out");
    launch(write_own_index, {.grid = {2, 3, 2}, .block = {5, 3, 4}}, out.data());
    const std::vector<unsigned> got = out.download();
    for (unsigned i = 0; i < threads * blocks; ++i) {
      ASSERT_EQ(got[i], i % threads + 1000 * (i / threads));
    }
  }
}

/// The usual block sum: shuffles within warps, then one warp over the partial sums.
template <class T>
__global__ void sum_per_block(const T* x, T* sums, unsigned size) {
  SIMT_SHARED(T, partial, [32]);
  SIMT_DYN_SHARED(T, staged);
  T sum = T(0);
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
    staged[threadIdx.x] = x[blockIdx.x * size + i];
    sum += staged[threadIdx.x];
  }
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, lanes);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0);
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, lanes);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class T>
void expect_block_sums(const Options& options, unsigned threads) {
  const Scope scope(options);
  constexpr unsigned kBlocks = 9;
  constexpr unsigned kSize = 777;
  std::vector<T> input(std::size_t{kBlocks} * kSize);
  std::iota(input.begin(), input.end(), T(0));
  Buffer<T> x(Backend::cpu, input.size(), "x");
  Buffer<T> sums(Backend::cpu, kBlocks, "sums");
  x.upload(input);
  launch(sum_per_block<T>, {.grid = kBlocks, .block = threads, .smem = threads * sizeof(T)},
         x.data(), sums.data(), kSize);
  const std::vector<T> got = sums.download();
  for (unsigned block = 0; block < kBlocks; ++block) {
    const auto first = input.begin() + std::ptrdiff_t{block} * kSize;
    ASSERT_EQ(got[block], std::accumulate(first, first + kSize, T(0))) << "block " << block;
  }
}

TEST(SimtKernels, BlockSumUnderEverySchedule) {
  for (const Options& options : all_schedules()) {
    for (const unsigned threads : {32u, 64u, 256u, 1024u}) {
      expect_block_sums<float>(options, threads);  // exact: every sum is below 2^24
      expect_block_sums<double>(options, threads);
    }
  }
}

TEST(SimtKernels, AnyNumberOfWorkers) {
  for (const int workers : {1, 2, 3, 7}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      expect_block_sums<float>({.workers = workers}, 1024);
      expect_block_sums<float>({.order = Order::random, .workers = workers}, 1024);
    }
  }
}

__global__ void count_in_block(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  const int below = __syncthreads_count(i < size);
  const int any = __syncthreads_or(i == size);
  const int all = __syncthreads_and(i >= 0);
  const int none = __syncthreads_and(i != 0);
  if (i == 0) out[0] = below * 1000 + any * 100 + all * 10 + none;
}

TEST(SimtKernels, BarriersThatCount) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    Buffer<int> out(Backend::cpu, 1, "out");
    launch(count_in_block, {.block = 100}, out.data(), 77);
    EXPECT_EQ(out.download()[0], 77 * 1000 + 100 + 10);
    launch(count_in_block, {.block = 100}, out.data(), 100);
    EXPECT_EQ(out.download()[0], 100 * 1000 + 10);
  }
}

__global__ void half_and_vectors(const __half* x, float4* y, const __nv_bfloat16* z) {
  const unsigned i = threadIdx.x;
  const float value = __half2float(__hadd(x[i], x[i]));
  y[i] = make_float4(value, rsqrtf(value), fmaf(value, 2.0f, 1.0f), __bfloat162float(__ldg(z + i)));
}

TEST(SimtKernels, CudaTypesAndMathematics) {
  const std::vector<__half> halves(32, __float2half(2.0f));
  const std::vector<__nv_bfloat16> brains(32, __float2bfloat16(0.5f));
  Buffer<__half> x(Backend::cpu, 32, "x");
  Buffer<float4> y(Backend::cpu, 32, "y");
  Buffer<__nv_bfloat16> z(Backend::cpu, 32, "z");
  x.upload(halves);
  z.upload(brains);
  launch(half_and_vectors, {.block = 32}, x.data(), y.data(), z.data());
  const float4 got = y.download()[31];
  EXPECT_EQ(got.x, 4.0f);
  EXPECT_EQ(got.y, 0.5f);
  EXPECT_EQ(got.z, 9.0f);
  EXPECT_EQ(got.w, 0.5f);
}

__global__ void throws(int thread) {
  if (static_cast<int>(threadIdx.x) == thread) throw std::range_error("from the kernel");
  __syncthreads();
}

TEST(SimtKernels, AnExceptionReachesTheLauncher) {
  EXPECT_THROW(launch(throws, {.grid = 3, .block = 64}, 40), std::range_error);
  EXPECT_NO_THROW(launch(throws, {.grid = 3, .block = 64}, -1));
}

}  // namespace
}  // namespace simt::testing
