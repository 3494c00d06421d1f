// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace simt::executor {

inline constexpr std::size_t kWidestVector = 16;  ///< bytes that a device moves at once

/// "accesses 16 bytes at once at y[1], which is not aligned to them"
std::string misaligned_text(const std::string& place, std::size_t bytes);

}  // namespace simt::executor
