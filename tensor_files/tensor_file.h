// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/tensor.h"
#include "tensor_files/stored_tensor.h"

namespace gradproof {

/// The header of a file of tensors in the format that it begins as, safetensors.h or npz.h. Both
/// throw UsageError as these do.
StoredHeader tensor_file_header(const std::string& path);
Tensors read_tensor_file(const std::string& path);

}  // namespace gradproof
