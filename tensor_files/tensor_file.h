// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/tensor.h"
#include "tensor_files/stored_tensor.h"

namespace gradproof {

/// Read a file of tensors, or its header, in the format that its beginning shows (safetensors.h or
/// npz.h). Both throw UsageError as the functions of that format do.
StoredHeader tensor_file_header(const std::string& path);
Tensors read_tensor_file(const std::string& path);

}  // namespace gradproof
