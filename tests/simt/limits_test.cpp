// SPDX-License-Identifier: Apache-2.0
// A launch that the device would refuse is a finding; its neighbour just inside the limit runs.
#include <gtest/gtest.h>

#include "simt/simt.h"
#include "simt/stream.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

__global__ void empty() {}

std::optional<ExecutionError> launching(const Launch& configuration, const Options& options = {}) {
  const Scope scope(options);
  return error_of([&] { launch(empty, configuration); });
}

TEST(SimtLimits, ThreadsOfABlock) {
  EXPECT_TRUE(found(launching({.block = 2048}), "launch-config"));
  EXPECT_TRUE(found(launching({.block = {32, 33}}), "launch-config"));
  EXPECT_TRUE(found(launching({.block = {1, 1, 65}}), "launch-config"));
  EXPECT_TRUE(found(launching({.block = 0}), "launch-config"));
  EXPECT_FALSE(launching({.block = 1024}));
  EXPECT_FALSE(launching({.block = {4, 4, 64}}));
}

TEST(SimtLimits, BlocksOfAGrid) {
  EXPECT_TRUE(found(launching({.grid = {1, 70000}}), "launch-config"));
  EXPECT_TRUE(found(launching({.grid = {1, 1, 65536}}), "launch-config"));
  EXPECT_TRUE(found(launching({.grid = 0}), "launch-config"));
  EXPECT_TRUE(found(launching({.cluster = 2}), "launch-config"));
  EXPECT_FALSE(launching({.grid = {1, 65535}}));
  EXPECT_FALSE(launching({.grid = 70000}));
}

TEST(SimtLimits, DynamicSharedMemoryOfTheNamedDevice) {
  const Options sm_80{.profile = device_profile("sm_80")};
  EXPECT_TRUE(found(launching({.smem = 300 * 1024}), "shared-memory-limit"));
  EXPECT_TRUE(found(launching({.smem = 227 * 1024 + 1}), "shared-memory-limit"));
  EXPECT_FALSE(launching({.smem = 227 * 1024}));
  EXPECT_TRUE(found(launching({.smem = 164 * 1024}, sm_80), "shared-memory-limit"));
  EXPECT_FALSE(launching({.smem = 163 * 1024}, sm_80));
  EXPECT_THROW(device_profile("sm_42"), std::invalid_argument);
}

TEST(SimtLimits, TheCallersStream) {
  const Stream callers(Backend::cpu);
  const Stream other(Backend::cpu);
  const Options checked{.stream = callers.handle()};
  EXPECT_TRUE(found(launching({}, checked), "stream"));
  EXPECT_TRUE(found(launching({.stream = other.handle()}, checked), "stream"));
  EXPECT_FALSE(launching({.stream = callers.handle()}, checked));
  EXPECT_FALSE(launching({.stream = other.handle()}));  // nobody asked
}

template <unsigned bytes>
__global__ void static_bytes(float* y) {
  SIMT_SHARED(float, values, [bytes / sizeof(float)]);
  values[threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = values[threadIdx.x ^ 1u];
}

template <unsigned bytes>
std::optional<ExecutionError> launching_static(std::size_t dynamic_bytes = 0) {
  Buffer<float> y(Backend::cpu, 64, "y");
  return error_of(
      [&] { launch(static_bytes<bytes>, {.block = 64, .smem = dynamic_bytes}, y.data()); });
}

TEST(SimtLimits, StaticSharedMemory) {
  EXPECT_TRUE(found(launching_static<64 * 1024>(), "shared-memory-limit"));
  EXPECT_FALSE(launching_static<48 * 1024>());
  EXPECT_TRUE(found(launching_static<48 * 1024>(180 * 1024), "shared-memory-limit"));
  EXPECT_FALSE(launching_static<48 * 1024>(179 * 1024));
}

}  // namespace
}  // namespace simt::testing
