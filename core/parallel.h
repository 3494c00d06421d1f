// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gradproof {

/// Calls work(0) ... work(count - 1), spread over all cores, each exactly once in no set order.
/// The first exception stops the rest and is thrown here. `at_thread_end` runs on each helper
/// thread when it is done (libraries with a cache for each thread want that).
void for_each_index(
    std::int64_t count, const std::function<void(std::int64_t)>& work,
    const std::function<void()>& at_thread_end = [] {});

}  // namespace gradproof
