// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/schema.h"

namespace gradproof {

/// These keys say how and where a kernel runs. execution_of() reads this one and `device`.
Key schedule_key();
/// The key `device`; `first` is the default, "cpu" or "cuda".
Key device_key(const std::string& first);
/// The key `streams`, which run_interleaved reads.
Key streams_key();

}  // namespace gradproof
