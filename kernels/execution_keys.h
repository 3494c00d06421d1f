// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/schema.h"

namespace gradproof {

/// How and where a kernel runs. Where nothing else is said, execution_of() reads the key.
Key schedule_key();
/// `first` is the default, "cpu" or "cuda".
Key device_key(const std::string& first);
/// Read by run_interleaved.
Key streams_key();

}  // namespace gradproof
