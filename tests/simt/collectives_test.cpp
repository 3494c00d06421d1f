// SPDX-License-Identifier: Apache-2.0
// Shuffles, votes and warp reductions against plain loops.
#include <functional>

#include <gtest/gtest.h>

#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

enum class Shuffle { index, up, down, exclusive_or };

__global__ void shuffle(Shuffle kind, const float* x, float* y, int argument, int width) {
  const unsigned i = threadIdx.x;
  const auto delta = static_cast<unsigned>(argument);
  constexpr unsigned kAll = 0xFFFFFFFFu;
  switch (kind) {
    case Shuffle::index:
      y[i] = __shfl_sync(kAll, x[i], argument, width);
      break;
    case Shuffle::up:
      y[i] = __shfl_up_sync(kAll, x[i], delta, width);
      break;
    case Shuffle::down:
      y[i] = __shfl_down_sync(kAll, x[i], delta, width);
      break;
    case Shuffle::exclusive_or:
      y[i] = __shfl_xor_sync(kAll, x[i], argument, width);
      break;
  }
}

/// The lane that `lane` reads from, after the CUDA C++ Programming Guide, "Warp Shuffle Functions".
int source_lane(Shuffle kind, int lane, int argument, int width) {
  const int first = lane / width * width;
  const int last = first + width - 1;
  switch (kind) {
    case Shuffle::index:
      return first + argument % width;
    case Shuffle::up:
      return lane - argument >= first ? lane - argument : lane;
    case Shuffle::down:
      return lane + argument <= last ? lane + argument : lane;
    case Shuffle::exclusive_or:
      return (lane ^ argument) <= last ? lane ^ argument : lane;
  }
  return lane;
}

TEST(SimtCollectives, ShufflesOfEveryWidth) {
  const std::vector<float> input = counting(96);
  Buffer<float> x = cpu_buffer(input, "x");
  Buffer<float> y(Backend::cpu, input.size(), "y");
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    for (const Shuffle kind : {Shuffle::index, Shuffle::up, Shuffle::down, Shuffle::exclusive_or}) {
      for (const int width : {2, 4, 8, 16, 32}) {
        for (const int argument : {0, 1, 3, 17, 31}) {
          launch(shuffle, {.block = 96}, kind, x.data(), y.data(), argument, width);
          const std::vector<float> got = y.download();
          for (int i = 0; i < 96; ++i) {
            const int want = i / 32 * 32 + source_lane(kind, i % 32, argument, width);
            ASSERT_EQ(got[static_cast<std::size_t>(i)], static_cast<float>(want));
          }
        }
      }
    }
  }
}

/// A type that is as large as a shuffled element may be.
struct Statistics {
  float mean, m2;
  double count;
};
static_assert(sizeof(Statistics) == 16);

__global__ void rotate(const Statistics* x, Statistics* y, const double* a, double* b) {
  const int i = static_cast<int>(threadIdx.x);
  y[i] = __shfl_sync(0xFFFFFFFFu, x[i], i + 1);
  b[i] = __shfl_sync(0xFFFFFFFFu, a[i], i + 1);
}

TEST(SimtCollectives, ShufflesOfClassesAndDoubles) {
  std::vector<Statistics> input(32);
  std::vector<double> numbers(32);
  for (int i = 0; i < 32; ++i) {
    const auto value = static_cast<float>(i);
    input[static_cast<std::size_t>(i)] = {value, -value, 0.5 * i};
    numbers[static_cast<std::size_t>(i)] = 1.0 / (1 + i);
  }
  Buffer<Statistics> x(Backend::cpu, 32, "x");
  Buffer<Statistics> y(Backend::cpu, 32, "y");
  Buffer<double> a(Backend::cpu, 32, "a");
  Buffer<double> b(Backend::cpu, 32, "b");
  x.upload(input);
  a.upload(numbers);
  launch(rotate, {.block = 32}, x.data(), y.data(), a.data(), b.data());
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(y.download()[i].m2, input[(i + 1) % 32].m2);
    EXPECT_EQ(y.download()[i].count, input[(i + 1) % 32].count);
    EXPECT_EQ(b.download()[i], numbers[(i + 1) % 32]);
  }
}

__global__ void votes(unsigned pattern, unsigned mask, unsigned* ballots, int* any, int* all) {
  const unsigned i = threadIdx.x;
  if ((mask >> i & 1) == 0) return;
  const int bit = static_cast<int>(pattern >> i & 1);
  ballots[i] = __ballot_sync(mask, bit);
  any[i] = __any_sync(mask, bit);
  all[i] = __all_sync(mask, bit);
}

TEST(SimtCollectives, VotesOfTheMask) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    for (const unsigned mask : {0xFFFFFFFFu, 0x0000FFFFu, 0x80000001u, 0x00000100u}) {
      for (const unsigned pattern : {0u, 0xFFFFFFFFu, 0x12345678u, 0x0000FFFFu}) {
        Buffer<unsigned> ballots(Backend::cpu, 32, "ballots");
        Buffer<int> any(Backend::cpu, 32, "any");
        Buffer<int> all(Backend::cpu, 32, "all");
        launch(votes, {.block = 32}, pattern, mask, ballots.data(), any.data(), all.data());
        for (unsigned i = 0; i < 32; ++i) {
          if ((mask >> i & 1) == 0) continue;
          ASSERT_EQ(ballots.download()[i], pattern & mask);
          ASSERT_EQ(any.download()[i], (pattern & mask) != 0);
          ASSERT_EQ(all.download()[i], (pattern & mask) == mask);
        }
      }
    }
  }
}

/// Halves of a warp meet under masks of their own, as often as they like.
__global__ void halves(int* out, int rounds) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned mask = lane < 16 ? 0x0000FFFFu : 0xFFFF0000u;
  int value = static_cast<int>(lane);
  const int turns = lane < 16 ? rounds : 2 * rounds;
  for (int turn = 0; turn < turns; ++turn) value = __reduce_add_sync(mask, value) % 1009;
  __syncwarp();
  out[threadIdx.x] = __shfl_xor_sync(0xFFFFFFFFu, value, 16);
}

TEST(SimtCollectives, DisjointMasksAndReductions) {
  const auto folded = [](int first, int turns) {
    std::vector<int> values(16);
    for (int i = 0; i < 16; ++i) values[static_cast<std::size_t>(i)] = first + i;
    for (int turn = 0; turn < turns; ++turn) {
      int sum = 0;
      for (const int value : values) sum += value;
      values.assign(16, sum % 1009);
    }
    return values[0];
  };
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    Buffer<int> out(Backend::cpu, 64, "out");
    launch(halves, {.block = 64}, out.data(), 5);
    const std::vector<int> got = out.download();
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(got[i], i % 32 < 16 ? folded(16, 10) : folded(0, 5));
    }
  }
}

__global__ void folds(const unsigned* x, unsigned* y) {
  const unsigned value = x[threadIdx.x];
  constexpr unsigned kAll = 0xFFFFFFFFu;
  const unsigned results[] = {__reduce_min_sync(kAll, value), __reduce_max_sync(kAll, value),
                              __reduce_and_sync(kAll, value), __reduce_or_sync(kAll, value),
                              __reduce_xor_sync(kAll, value), __reduce_add_sync(kAll, value)};
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < 6; ++i) y[i] = results[i];
}

TEST(SimtCollectives, ReductionsOfEveryKind) {
  std::vector<unsigned> input(32);
  for (unsigned i = 0; i < 32; ++i) input[i] = (i * 2654435761u) | 0x10u;
  Buffer<unsigned> x(Backend::cpu, 32, "x");
  Buffer<unsigned> y(Backend::cpu, 6, "y");
  x.upload(input);
  launch(folds, {.block = 32}, x.data(), y.data());
  std::vector<unsigned> want{input[0], input[0], input[0], input[0], input[0], input[0]};
  for (unsigned i = 1; i < 32; ++i) {
    want = {std::min(want[0], input[i]), std::max(want[1], input[i]), want[2] & input[i],
            want[3] | input[i],          want[4] ^ input[i],          want[5] + input[i]};
  }
  EXPECT_EQ(y.download(), want);
}

}  // namespace
}  // namespace simt::testing
