// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

namespace gradproof {

/// Million elements a second of one core, the median of some repetitions; `work` does `elements`.
double rate_of(const std::function<void()>& work, double elements);

}  // namespace gradproof
