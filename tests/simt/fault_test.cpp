// SPDX-License-Identifier: Apache-2.0
// An access that no device lets pass is a finding that names the memory and the place in it.
#include <csignal>
#include <cstdint>

#include <gtest/gtest.h>

#include "simt/memory/named_memory.h"
#include "simt/simt.h"
#include "tests/support/simt_support.h"

namespace simt::testing {
namespace {

__global__ void read_at(const float* x, float* y, std::int64_t index) {
  if (threadIdx.x == 5) *y = x[index];
}
__global__ void write_at(float* x, std::int64_t index) { x[index] = 1.0f; }

constexpr std::size_t kSize = 100;  // 400 bytes, whose forbidden stretch begins behind byte 511

struct Pair {
  Buffer<float> x{Backend::cpu, kSize, "x"};
  Buffer<float> y{Backend::cpu, 1, "y"};
  std::optional<ExecutionError> reading(std::int64_t index) {
    return error_of([&] {
      launch(read_at, {.grid = 3, .block = 64}, const_cast<const float*>(x.data()), y.data(),
             index);
    });
  }
  std::optional<ExecutionError> writing(std::int64_t index) {
    return error_of([&] { launch(write_at, {}, x.data(), index); });
  }
};

void expect_text(const std::optional<ExecutionError>& error, const std::string& text) {
  ASSERT_TRUE(found(error, "out-of-bounds")) << text_of(error);
  EXPECT_NE(text_of(error).find(text), std::string::npos) << text_of(error);
}

TEST(SimtFault, AReadPastTheEndNamesTheMemory) {
  for (const Options& options : all_schedules()) {
    const Scope scope(options);
    Pair pair;
    EXPECT_FALSE(pair.reading(kSize - 1));
    expect_text(pair.reading(1000),
                "thread 5 reads x at byte 4000, 3600 bytes past the end of x (400 bytes)");
    EXPECT_FALSE(pair.reading(0)) << "the next launch works";
  }
}

TEST(SimtFault, SoDoesAWriteOnEitherSide) {
  Pair pair;
  expect_text(pair.writing(1000), "writes x at byte 4000, 3600 bytes past the end of x");
  expect_text(pair.writing(-1000), "writes x at byte -4000, 4000 bytes before x (400 bytes)");
  EXPECT_FALSE(pair.writing(0));
}

TEST(SimtFault, TheForbiddenStretchIsLongerThanAnotherTensor) {
  Pair pair;
  expect_text(pair.reading(1 << 21), "bytes past the end of x");  // 8 MiB
  expect_text(pair.writing(-(1 << 21)), "bytes before x");
}

TEST(SimtFault, ElementsHaveTheNamesThatTheyWereGiven) {
  Pair pair;
  name_elements(pair.x.data(), {"x[100]", [](std::int64_t byte) {
                                  return "x[" + std::to_string(byte / 4) + "]";
                                }});
  expect_text(pair.reading(1000), "reads x[1000], 3600 bytes past the end of x[100]");
  EXPECT_EQ(describe_address(pair.x.data() + 3), "x[3]");
  const int elsewhere = 0;
  EXPECT_EQ(describe_address(&elsewhere), "");
}

__global__ void write_shared_at(int index) {
  SIMT_DYN_SHARED(float, shared);
  shared[index] = 1.0f;
}

TEST(SimtFault, ANullPointerIsReportedAsOne) {
  Pair pair;
  const float* const absent = nullptr;
  expect_text(
      error_of([&] { launch(read_at, {.block = 64}, absent, pair.y.data(), std::int64_t{8}); }),
      "thread 5 reads byte 32 of a null pointer");
}

TEST(SimtFault, DynamicSharedMemoryHasAName) {
  const auto writing = [](int index) {
    return error_of([&] { launch(write_shared_at, {.smem = 64}, index); });
  };
  EXPECT_FALSE(writing(15));
  expect_text(writing(16), "writes dynamic shared memory at byte 64, 0 bytes past the end of");
}

#if !defined(__SANITIZE_ADDRESS__)                              // which takes the fault for its own
constexpr std::uintptr_t kElsewhere = std::uintptr_t{1} << 20;  // no program has a page there
TEST(SimtFaultDeathTest, AFaultElsewhereStillEndsTheProcess) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that no object has is what is tested
  const auto wild = [] { launch(write_at, {}, reinterpret_cast<float*>(kElsewhere), 0); };
  EXPECT_EXIT(wild(), ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(std::raise(SIGSEGV), ::testing::KilledBySignal(SIGSEGV), "");
}
#endif

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program there
struct alignas(8) FourHalves {
  std::uint16_t at[4];
};

__global__ void load_float4(float* x, int first) {
  x[99] = reinterpret_cast<const float4*>(x + first)->y;
}
__global__ void store_float2(float* x, int first) {
  *reinterpret_cast<float2*>(x + first) = {1.0f, 2.0f};
}
/// g++ makes this a move of 8 bytes, or four of 2: neither faults.
__global__ void copy_four_halves(float* x, int first) {
  *reinterpret_cast<FourHalves*>(x) = *reinterpret_cast<const FourHalves*>(x + first);
}

TEST(SimtFault, AMisalignedVectorIsNamed) {
  struct Access {
    void (*kernel)(float*, int);
    const char* text;
  };
  for (const Access& access :
       {Access{load_float4, " x at byte 4 at fault_test.cpp:"},
        Access{store_float2, "thread 0 writes x at byte 4 at fault_test.cpp"},
        Access{copy_four_halves, "thread 0 accesses x at byte 4 at fault_test.cpp"}}) {
    Pair pair;
    const auto moving = [&](int first) {
      return error_of([&] { launch(access.kernel, {}, pair.x.data(), first); });
    };
    EXPECT_FALSE(moving(0)) << access.text;
    EXPECT_FALSE(moving(4)) << access.text;
    const auto error = moving(1);
    ASSERT_TRUE(found(error, "misaligned-access")) << text_of(error);
    EXPECT_NE(text_of(error).find(access.text), std::string::npos) << text_of(error);
    EXPECT_FALSE(moving(0)) << "the next launch works";
  }
}

struct Four {
  float at[4];
};
/// Sums its own four numbers, from `first` on.
__global__ void sum_own(float* x, int first, int count) {
  Four own{{x[0], x[1], x[2], x[3]}};
  for (int i = 0; i < count; ++i) x[4] += own.at[first + i];
}

TEST(SimtFault, AnIndexPastAThreadsOwnArrayIsNamed) {
  struct Range {
    int first, count;
    const char* text;
  };
  for (const Range& range :
       {Range{0, 5, "thread 0 takes element 4 of 'float [4]' at fault_test.cpp"},
        Range{-1, 4, "takes element -1 of 'float [4]'"}}) {
    Pair pair;
    const auto summing = [&](int first, int count) {
      return error_of([&] { launch(sum_own, {}, pair.x.data(), first, count); });
    };
    EXPECT_FALSE(summing(0, 4)) << "all four are there";
    const auto error = summing(range.first, range.count);
    ASSERT_TRUE(found(error, "array-bounds")) << text_of(error);
    EXPECT_NE(text_of(error).find(range.text), std::string::npos) << text_of(error);
    EXPECT_FALSE(summing(3, 1)) << "the next launch works";
  }
}
#endif

}  // namespace
}  // namespace simt::testing
