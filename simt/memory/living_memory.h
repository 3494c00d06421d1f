// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace simt {

/// The bytes of each dense Memory on the CPU that exists now.
std::vector<std::span<const std::byte>> living_memory();

}  // namespace simt
