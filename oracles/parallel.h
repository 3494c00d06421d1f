// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace gradproof {

/// Calls work(0) ... work(count - 1), spread over all cores, each exactly once in no set order.
/// The first exception stops the rest and is thrown here.
void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace gradproof
