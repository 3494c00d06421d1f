// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <driver_types.h>

/// The search for bytes that are no longer poison (0xFF) runs where the memory lies: copying the
/// gaps of a sparse Memory, tens of gigabytes, to the host takes a hundred times as long as reading
/// them.
namespace simt {

/// A stretch of bytes: its address, its length, and the number by which the finding calls its first
/// byte.
struct Stretch {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
  unsigned long long number = 0;
};

inline constexpr unsigned long long kNoDamage = ~0ULL;

namespace host {
/// Lowers *first to the number of the stretch's first byte that is not 0xFF, if there is one with a
/// lower number. Asynchronous on the device, where `first` lies as well.
void lower_to_damage(const Stretch& stretch, unsigned long long* first, cudaStream_t stream);
}  // namespace host

namespace device {
void lower_to_damage(const Stretch& stretch, unsigned long long* first, cudaStream_t stream);
}  // namespace device

}  // namespace simt
