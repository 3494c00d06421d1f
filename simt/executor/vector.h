// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "simt/view.h"

namespace simt {
namespace executor {

inline constexpr std::size_t kWidestVector = 16;  ///< bytes that a device moves at once

/// "accesses 16 bytes at once at y[1], which is not aligned to them"
std::string misaligned_text(const std::string& place, std::size_t bytes);

/// A finding, and the end of the launch.
[[noreturn]] void misaligned(const void* address, std::size_t bytes);

}  // namespace executor

inline namespace SIMT_VIEW {

/// The elements at `first` as one V, which the device loads and stores at once. A device faults
/// where they are not aligned to it; g++ may well make single moves of them, so the executor looks.
template <class V, class T>
V& vector_at(T* first) {
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(V) != 0)
    executor::misaligned(first, sizeof(V));
  return *reinterpret_cast<V*>(first);
}

}  // namespace SIMT_VIEW
}  // namespace simt
