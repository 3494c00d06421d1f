// SPDX-License-Identifier: Apache-2.0
// Sparse memory: gigabytes of addresses, a few pages; any touch besides the uploads is found.
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "simt/memory/buffer.h"

namespace simt {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 36;
constexpr std::size_t kFar = (std::size_t{1} << 35) + 64;

/// Two floats near the beginning and one far away.
struct Example {
  Example() {
    const float numbers[]{1, 2};
    memory.upload(numbers, sizeof numbers, 16);
    memory.upload(numbers, sizeof(float), kFar);
  }
  std::byte* at(std::size_t offset) { return static_cast<std::byte*>(memory.data()) + offset; }
  float& number(std::size_t offset) { return *reinterpret_cast<float*>(at(offset)); }

  Memory memory{Backend::cpu, kBytes, "x", Room::sparse};
};

TEST(SimtSparse, HoldsWhatWasUploadedAndPoisonAroundIt) {
  Example x;
  float back = 0;
  x.memory.download(&back, sizeof back, 20);
  EXPECT_EQ(back, 2);
  x.memory.download(&back, sizeof back, kFar);
  EXPECT_EQ(back, 1);
  EXPECT_TRUE(std::isnan(x.number(12)));
  EXPECT_TRUE(std::isnan(x.number(kFar + 4)));
  EXPECT_EQ(x.memory.guard_damage(), "");
}

TEST(SimtSparse, WritingWhatWasUploadedIsNoDamage) {
  Example x;
  x.number(20) = 7;
  x.number(kFar) = 7;
  EXPECT_EQ(x.memory.guard_damage(), "");
}

TEST(SimtSparse, AWriteBesideTheElementsIsFound) {
  Example x;
  x.number(24) = 7;
  EXPECT_EQ(x.memory.guard_damage(), "x: written at byte 24, between its elements");
  Example y;
  y.number(kFar - 4) = 7;
  EXPECT_EQ(y.memory.guard_damage(),
            "x: written at byte " + std::to_string(kFar - 4) + ", between its elements");
}

TEST(SimtSparse, ATouchOfAnotherPageIsFoundEvenARead) {
  Example x;
  x.number(std::size_t{1} << 30) = 0;  // as fresh memory is: only the page shows the write
  EXPECT_NE(x.memory.guard_damage().find("far from its elements"), std::string::npos);
  Example y;
  EXPECT_EQ(*const_cast<volatile float*>(&y.number(std::size_t{1} << 34)), 0);
  EXPECT_NE(y.memory.guard_damage().find("far from its elements"), std::string::npos);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(SimtSparse, PastEitherEndNobodyGets) {
  Example x;
  EXPECT_DEATH(x.number(kBytes) = 1, "");
  EXPECT_DEATH(*(x.at(0) - (std::size_t{1} << 16)) = std::byte{1}, "");
}
#endif

TEST(SimtSparse, MoreThanThereAreAddressesIsNoRoom) {
  EXPECT_THROW(Memory(Backend::cpu, std::size_t{1} << 50, "x", Room::sparse), NoRoom);
}

}  // namespace
}  // namespace simt
