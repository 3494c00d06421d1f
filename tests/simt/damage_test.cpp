// SPDX-License-Identifier: Apache-2.0
// The search for damaged poison: the kernel that the device runs, in the executor at every length
// and alignment; and the gaps of sparse memory on both back-ends.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "simt/device.h"
#include "simt/memory/first_damage.h"
#include "tests/simt/simt_sample.h"

namespace simt::testing {
namespace {

constexpr std::byte kPoison{0xFF};

/// The first damage that the kernel finds in part of a poisoned Memory with one byte changed.
unsigned long long found(std::size_t begin, std::size_t bytes, std::size_t damaged) {
  Memory memory(Backend::cpu, 160, "memory");
  auto* const data = static_cast<std::byte*>(memory.data());
  data[damaged] = std::byte{0x7F};
  unsigned long long first = kNoDamage;
  simt::host::lower_to_damage({data + begin, bytes, 1000}, &first, nullptr);
  return first;
}

TEST(SimtDamage, IsFoundAtEveryPlaceOfEveryStretch) {
  for (std::size_t begin = 32; begin < 48; ++begin)
    for (const std::size_t bytes : {0u, 1u, 2u, 15u, 16u, 17u, 31u, 32u, 33u, 64u})
      for (std::size_t damaged = begin - 17; damaged < begin + bytes + 17; ++damaged) {
        const bool inside = damaged >= begin && damaged < begin + bytes;
        EXPECT_EQ(found(begin, bytes, damaged), inside ? 1000 + damaged - begin : kNoDamage)
            << bytes << " bytes from " << begin << ", damaged at " << damaged;
      }
}

TEST(SimtDamage, TheFirstOfManyAndOfSeveralStretchesIsReported) {
  constexpr std::size_t kBytes = std::size_t{1} << 26;  // more words than threads are started
  Memory memory(Backend::cpu, kBytes, "memory");
  auto* const data = static_cast<std::byte*>(memory.data());
  unsigned long long first = kNoDamage;
  simt::host::lower_to_damage({data, kBytes, 0}, &first, nullptr);
  EXPECT_EQ(first, kNoDamage);
  for (const std::size_t at : {kBytes - 1, kBytes / 2, kBytes / 2 + 1}) data[at] = std::byte{0};
  simt::host::lower_to_damage({data, kBytes, 0}, &first, nullptr);
  EXPECT_EQ(first, kBytes / 2);
  simt::host::lower_to_damage({data, kBytes, kBytes}, &first, nullptr);
  EXPECT_EQ(first, kBytes / 2) << "a later stretch's damage has a higher number";
}

/// The words about sparse memory with elements at bytes [64, 80) and [kFar, kFar + 4), after a
/// kernel wrote the byte at `at`.
constexpr std::size_t kFar = (std::size_t{1} << 25) + 1000;
std::string damage_after(Backend backend, WriteByte write, std::size_t at, std::byte byte) {
  Memory x(backend, (std::size_t{1} << 26) + 3, "x", Room::sparse);
  const std::vector<std::byte> numbers(16);
  x.upload(numbers.data(), 16, 64);
  x.upload(numbers.data(), 4, kFar);
  write(static_cast<std::byte*>(x.data()) + at, byte);
  synchronize(backend);
  return x.guard_damage();
}

void expect_damage_in_gaps_is_found(Backend backend, WriteByte write) {
  const auto damage = [&](std::size_t at) {
    return damage_after(backend, write, at, std::byte{1});
  };
  for (const std::size_t element : {std::size_t{64}, std::size_t{79}, kFar})
    EXPECT_EQ(damage(element), "") << element;
  for (const std::size_t gap : {std::size_t{63}, std::size_t{80}, kFar - 1, kFar + 4})
    EXPECT_EQ(damage(gap), "x: written at byte " + std::to_string(gap) + ", between its elements");
  EXPECT_EQ(damage_after(backend, write, 80, kPoison), "") << "the same byte as before";
}

TEST(SimtDamage, InAGapIsFoundOnTheCpu) {
  expect_damage_in_gaps_is_found(Backend::cpu, host::write_byte);
}

TEST(SimtDamage, InAGapIsFoundOnTheDevice) {
  if (!device_info()) GTEST_SKIP() << "no CUDA device here, or built without CUDA";
#if defined(GRADPROOF_WITH_CUDA)
  expect_damage_in_gaps_is_found(Backend::cuda, device::write_byte);
  // The CPU finds these by the page that was touched, the device by the byte.
  for (const std::size_t gap : {std::size_t{0}, std::size_t{1} << 24, (std::size_t{1} << 26) + 2})
    EXPECT_EQ(damage_after(Backend::cuda, device::write_byte, gap, std::byte{1}),
              "x: written at byte " + std::to_string(gap) + ", between its elements");
#endif
}

}  // namespace
}  // namespace simt::testing
