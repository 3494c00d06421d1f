// SPDX-License-Identifier: Apache-2.0
#include "simt/bench.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "simt/host.h"
#include "simt/memory/buffer.h"
#include "simt/simt.h"

namespace simt {
namespace {

constexpr unsigned kBlock = 256;
constexpr unsigned kBlocks = 32;
constexpr int kRounds = 200;

__global__ void elementwise(const float* x, float* y, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) y[i] = x[i] / (1.0f + expf(-x[i]));
}

__global__ void barriers(float* y, int rounds) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i) {
    value = value * 1.0001f + 1.0f;
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void shuffles(float* y, int rounds) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < rounds; ++i) value += 0.5f * __shfl_xor_sync(0xFFFFFFFFu, value, 1 << i % 5);
  y[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// Nanoseconds per step of the best of a few runs: the speed of the undisturbed machine.
template <class Run>
double best_ns(double steps, Run run) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 7; ++i) {
    const auto start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return best / steps;
}

double copy_loop_ns() {
  constexpr std::size_t kSize = std::size_t{1} << 24;  // 64 MiB each: beyond the caches
  const std::vector<float> from(kSize, 1.0f);
  std::vector<float> to(kSize, 0.0f);
  return best_ns(static_cast<double>(kSize),
                 [&] { std::copy(from.begin(), from.end(), to.begin()); });
}

double elementwise_ns() {
  constexpr int kSize = 1 << 20;
  Buffer<float> x(Backend::cpu, kSize, "x");
  Buffer<float> y(Backend::cpu, kSize, "y");
  x.upload(std::vector<float>(kSize, 0.5f));
  return best_ns(kSize, [&] {
    launch(elementwise, {.grid = kSize / kBlock, .block = kBlock}, x.data(), y.data(), kSize);
  });
}

double rounds_ns(void (*kernel)(float*, int)) {
  Buffer<float> y(Backend::cpu, kBlock * kBlocks, "y");
  return best_ns(double{kBlock} * kBlocks * kRounds,
                 [&] { launch(kernel, {.grid = kBlocks, .block = kBlock}, y.data(), kRounds); });
}

double launch_ns() {
  constexpr int kLaunches = 1000;
  Buffer<float> y(Backend::cpu, kBlock, "y");
  return best_ns(kLaunches, [&] {
    for (int i = 0; i < kLaunches; ++i) launch(barriers, {.block = kBlock}, y.data(), 0);
  });
}

}  // namespace

void bench_executor(const OnBenchRow& on_row) {
  const Scope one_worker({.workers = 1});
  on_row({"copy loop (the unit)", copy_loop_ns(), "ns/element"});
  on_row({"elementwise", elementwise_ns(), "ns/thread"});
  on_row({"__syncthreads", rounds_ns(barriers), "ns/thread"});
  on_row({"__shfl_xor_sync", rounds_ns(shuffles), "ns/thread"});
  on_row({"launch of 256 threads", launch_ns(), "ns/launch"});
}

}  // namespace simt
