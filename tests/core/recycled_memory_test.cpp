// SPDX-License-Identifier: Apache-2.0
#include "core/recycled_memory.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace gradproof {
namespace {

struct Taken {
  unsigned char* memory;
  std::size_t bytes;
  unsigned char mark;
};

TEST(RecycledMemory, OfEverySizeIsOnesOwn) {
  for (int again = 0; again < 2; ++again) {
    std::vector<Taken> all;
    for (std::size_t bytes = 1; bytes <= kRecycledBytes; bytes += 1 + bytes / 7) {
      auto* const memory = static_cast<unsigned char*>(take_recycled(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kRecycledAlignment, 0U) << bytes;
      const auto mark = static_cast<unsigned char>(all.size());
      std::memset(memory, mark, bytes);
      all.push_back({memory, bytes, mark});
    }
    for (const Taken& of : all) {
      EXPECT_EQ(of.memory[0], of.mark) << of.bytes;
      EXPECT_EQ(of.memory[of.bytes - 1], of.mark) << of.bytes;
      recycle(of.memory, of.bytes);
    }
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST(RecycledMemory, IsTakenAgain) {
  void* const first = take_recycled(1000);
  recycle(first, 1000);
  void* const again = take_recycled(970);  // it has the same size as 1000
  EXPECT_EQ(again, first);
  recycle(again, 970);
}
#endif

TEST(RecycledMemory, MayBeFreedByAnotherThread) {
  void* const here = take_recycled(300);
  void* there = nullptr;
  std::thread([&] {
    recycle(here, 300);
    there = take_recycled(500);
  }).join();
  recycle(there, 500);
}

/// More than a thread keeps goes back to the allocator.
TEST(RecycledMemory, IsLimited) {
  std::vector<void*> all(64);
  for (void*& memory : all) memory = take_recycled(kRecycledBytes);
  for (void* const memory : all) recycle(memory, kRecycledBytes);
}

}  // namespace
}  // namespace gradproof
