// SPDX-License-Identifier: Apache-2.0
// The scalar that counts additions shows a kernel's real reduction depth.
#include "simt/counted.h"

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

template <class T>
__global__ void sequential_sum(const T* x, T* sum, unsigned size) {
  T total = T(0.0f);
  for (unsigned i = 0; i < size; ++i) total += x[i];
  *sum = total;
}

template <class T>
__global__ void fma_sum(const T* x, T* sum, unsigned size) {
  T total = T(0.0f);
  for (unsigned i = 0; i < size; ++i) total = math::fma(x[i], x[i], total);
  *sum = total;
}

/// Lanes stride over the input, then a tree in shared memory.
template <class T>
__global__ void tree_sum(const T* x, T* sum, unsigned size) {
  SIMT_SHARED(T, values, [256]);
  const unsigned lane = threadIdx.x;
  T total = T(0.0f);
  for (unsigned i = lane; i < size; i += 256) total += x[i];
  values[lane] = total;
  __syncthreads();
  for (unsigned stride = 128; stride > 0; stride /= 2) {
    if (lane < stride) values[lane] += values[lane + stride];
    __syncthreads();
  }
  if (lane == 0) *sum = values[0];
}

std::int32_t chain(void (*kernel)(const Counted*, Counted*, unsigned), unsigned threads,
                   unsigned size) {
  Buffer<Counted> x(Backend::cpu, size, "x");
  Buffer<Counted> sum(Backend::cpu, 1, "sum");
  x.upload(std::vector<Counted>(size, Counted(1.0f)));
  launch(kernel, {.block = threads}, x.data(), sum.data(), size);
  EXPECT_EQ(sum.download()[0].value, static_cast<float>(size));
  EXPECT_EQ(sum.download()[0].depth, max_addition_chain());
  return max_addition_chain();
}

TEST(SimtCounted, ProductsStartAnewAndKeepWhatWasBefore) {
  const Counted sum = Counted(1.0f) + Counted(2.0f) + Counted(3.0f);
  const Counted product = sum * Counted(0.5f);
  EXPECT_EQ(product.depth, 0);
  EXPECT_EQ(product.longest, 2);
  EXPECT_EQ(product.path, 2);
  const Counted next = math::fma(product, product, Counted(1.0f));
  EXPECT_EQ(next.depth, 1);
  EXPECT_EQ(next.longest, 2);
  EXPECT_EQ(next.path, 3);
  const Counted first = math::fma(product, product, Counted(0.0f));
  EXPECT_EQ(first.value, 9.0f);
  EXPECT_EQ(first.path, 2) << "the first of an accumulator rounds no addition";
}

TEST(SimtCounted, ASequentialLoopHasOneAdditionLessThanItsLength) {
  for (const unsigned size : {1u, 2u, 33u, 1000u}) {
    EXPECT_EQ(chain(sequential_sum<Counted>, 1, size), static_cast<std::int32_t>(size - 1));
    EXPECT_EQ(chain(fma_sum<Counted>, 1, size), static_cast<std::int32_t>(size - 1));
  }
}

TEST(SimtCounted, ATreeOf256LanesAddsEightLevels) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    EXPECT_EQ(chain(tree_sum<Counted>, 256, 256), 8);
    EXPECT_EQ(chain(tree_sum<Counted>, 256, 1000), 3 + 8);  // ceil(1000/256) - 1 in the lanes
  }
}

TEST(SimtCounted, EachLaunchCountsAnew) {
  EXPECT_EQ(chain(sequential_sum<Counted>, 1, 100), 99);
  EXPECT_EQ(chain(tree_sum<Counted>, 256, 256), 8);
}

__global__ void block_deep(Counted* out) {
  Counted total(1.0f);
  for (unsigned i = 0; i < blockIdx.x; ++i) total += Counted(1.0f);
  __syncthreads();
  out[blockIdx.x] = total;
}

TEST(SimtCounted, TheDeepestOfAllBlocksAndWorkersCounts) {
  for (const int workers : {1, 2, 5}) {
    const Scope scope({.workers = workers});
    Buffer<Counted> out(Backend::cpu, 300, "out");
    launch(block_deep, {.grid = 300, .block = 64}, out.data());
    EXPECT_EQ(max_addition_chain(), 299);
  }
}

TEST(SimtCounted, ProductsAndFunctionsStartAnew) {
  const Counted deep(2.0f, 7);
  EXPECT_EQ((deep + Counted(1.0f)).depth, 8);
  EXPECT_EQ((Counted(1.0f) - deep).depth, 8);
  EXPECT_EQ((deep + Counted(0.0f)).depth, 7);
  EXPECT_EQ((-deep).depth, 7);
  EXPECT_EQ((deep * deep).depth, 0);
  EXPECT_EQ((deep / deep).depth, 0);
  EXPECT_EQ(math::fma(deep, deep, Counted(1.0f)).depth, 1);
  EXPECT_EQ(math::fma(Counted(1.0f), Counted(1.0f), deep).depth, 8);
  EXPECT_EQ(math::exp(deep).depth, 0);
  EXPECT_EQ(math::sqrt(deep).depth, 0);
  EXPECT_EQ(math::rsqrt(deep).depth, 0);
  EXPECT_EQ(math::max(deep, Counted(1.0f)).depth, 7);
}

}  // namespace
}  // namespace simt::testing
