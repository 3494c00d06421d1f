// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace gradproof {

/// The rate of `work`, which does `elements`: million elements per second of one core, a median.
double rate_of(const std::function<void()>& work, double elements);

}  // namespace gradproof
