// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/graph/given_tensors.h"

namespace gradproof {

/// Types and shapes of a file's tensors, and whether it says what became of its run. Throws
/// UsageError as tensor_file_header() does.
GivenFile given_file_at(const std::string& path);

}  // namespace gradproof
