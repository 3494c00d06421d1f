// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace gradproof {

/// What `work` says, computed in a process of its own: a wrong kernel may touch memory that nobody
/// owns, or never end. Nothing where it crashed, threw or took longer than `seconds`. No other
/// thread of this process may be at work meanwhile.
std::optional<std::string> in_own_process(const std::function<std::string()>& work,
                                          double seconds = 60);

}  // namespace gradproof
