// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/case.h"

namespace gradproof {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;

/// Bytes that can still be had here: the machine's available memory or what the control group has
/// left, whichever is less. Infinite where neither can be read.
double available_memory();

/// Throws UsageError with the estimate when a check of the Case would take more than `available`
/// bytes. `whole`: all elements are asked about, of products that take long too.
void refuse_if_too_large(const Case& c, double available, bool whole = false);

}  // namespace gradproof
