// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/diagnosis/wrong_tensor.h"

namespace gradproof::diagnosis {

/// A text if all wrong entries hold the bytes of memory that nobody wrote, or if all are NaN or
/// infinite exactly where a tensor is 0. Empty otherwise.
std::string memory_text(const WrongTensor& whole);

}  // namespace gradproof::diagnosis
