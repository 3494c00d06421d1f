// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "simt/memory/first_damage.h"
#include "simt/simt.h"

namespace simt {
namespace GRADPROOF_UNIT {  // not inline: the header names both

constexpr unsigned kWord = 16;  ///< bytes that a thread reads at once
constexpr unsigned kBlock = 256;
constexpr unsigned kMostBlocks = 8192;  ///< several for each multiprocessor of any device

/// The kernel reads aligned words. The first and the last word may hold bytes outside of the
/// stretch, which are not read: the stretch begins `skew` bytes into the first word.
__global__ void lower_to_damage_kernel(Stretch stretch, unsigned skew, unsigned long long* first) {
  const std::byte* const base = stretch.begin - skew;
  const unsigned long long end = skew + stretch.bytes;
  const unsigned long long words = (end + kWord - 1) / kWord;
  const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < words; i += threads) {
    const unsigned long long from = i == 0 ? skew : i * kWord;
    const unsigned long long to = i + 1 == words ? end : (i + 1) * kWord;
    if (to - from == kWord) {
      const uint4 word = *reinterpret_cast<const uint4*>(base + from);
      if ((word.x & word.y & word.z & word.w) == 0xFFFFFFFFu) continue;
    }
    for (unsigned long long at = from; at < to; ++at) {
      if (base[at] == std::byte{0xFF}) continue;
      atomicMin(first, stretch.number + (at - skew));
      break;
    }
  }
}

void lower_to_damage(const Stretch& stretch, unsigned long long* first, cudaStream_t stream) {
  if (stretch.bytes == 0) return;
  const auto skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(stretch.begin) % kWord);
  const unsigned long long words = (skew + stretch.bytes + kWord - 1) / kWord;
  const auto blocks = static_cast<unsigned>(
      std::min<unsigned long long>((words + kBlock - 1) / kBlock, kMostBlocks));
  launch(lower_to_damage_kernel, {.grid = blocks, .block = kBlock, .stream = stream}, stretch, skew,
         first);
}

}  // namespace GRADPROOF_UNIT
}  // namespace simt
