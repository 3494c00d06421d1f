// SPDX-License-Identifier: Apache-2.0
// Blocks that change the same number with nothing to order them.
#include "simt/races.h"

#include <string>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

using Sum = void (*)(const float*, float*, unsigned*);

/// Each block adds its number to one sum, as if no other did.
__global__ void add_plainly(const float* x, float* sum, unsigned*) {
  if (threadIdx.x == 0) sum[1] += x[blockIdx.x];
}

__global__ void add_atomically(const float* x, float* sum, unsigned*) {
  if (threadIdx.x == 0) atomicAdd(&sum[1], x[blockIdx.x]);
}

/// Each block adds its number to the sum under a lock.
__global__ void add_under_a_lock(const float* x, float* sum, unsigned* lock) {
  if (threadIdx.x > 0) return;
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  sum[1] += x[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0u);
}

/// Each block writes a number of its own beside those of the others.
__global__ void write_apart(const float* x, float* sum, unsigned*) {
  sum[blockIdx.x] = x[blockIdx.x];
}

/// The findings in a launch of four blocks under this order; "" if there are none.
std::string found_in(Sum kernel, Order order) {
  const Scope scope({.order = order, .workers = 2});
  Buffer<float> x = cpu_buffer({1.0f, 2.0f, 4.0f, 8.0f}, "x");
  Buffer<float> sum = cpu_buffer({0.0f, 0.0f, 0.0f, 0.0f}, "sum");
  Buffer<unsigned> lock(Backend::cpu, 1, "lock");
  lock.upload(std::vector<unsigned>{0});
  try {
    launch(kernel, {.grid = 4, .block = 64}, x.data(), sum.data(), lock.data());
  } catch (const ExecutionError& error) {
    return error.what();
  }
  return "";
}

TEST(SimtRaces, APlainSumOfBlocksIsOne) {
  for (const Order order : {Order::forward, Order::reverse, Order::random}) {
    const RaceScope races;
    const std::string text = found_in(add_plainly, order);
    EXPECT_NE(text.find("race: blocks "), std::string::npos) << text;
    EXPECT_NE(text.find(" both change sum at byte "), std::string::npos) << text;
  }
  const RaceScope races;
  EXPECT_EQ(
      found_in(add_plainly, Order::forward).find("race: blocks 0 and 1 both change sum at byte "),
      0U);
}

/// The control: changes that are ordered, and numbers that are apart, are no race.
TEST(SimtRaces, WhatIsOrderedIsNone) {
  for (const Order order : {Order::forward, Order::reverse, Order::random}) {
    const RaceScope races;
    EXPECT_EQ(found_in(add_atomically, order), "");
    EXPECT_EQ(found_in(add_under_a_lock, order), "");
    EXPECT_EQ(found_in(write_apart, order), "");
  }
}

TEST(SimtRaces, NobodyLooksOutsideOfAScope) {
  { const RaceScope races; }
  EXPECT_EQ(found_in(add_plainly, Order::forward), "");
}

}  // namespace
}  // namespace simt::testing
