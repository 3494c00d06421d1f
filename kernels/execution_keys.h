// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/schema.h"

namespace gradproof {

/// The keys that execution_of() reads: how and where a kernel runs.
Key schedule_key();
/// `first` is the default, "cpu" or "cuda".
Key device_key(const std::string& first);

}  // namespace gradproof
