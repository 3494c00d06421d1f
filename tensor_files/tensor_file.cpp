// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/tensor_file.h"

#include "tensor_files/npz.h"
#include "tensor_files/safetensors.h"

namespace gradproof {

StoredHeader tensor_file_header(const std::string& path) {
  return is_npz(path) ? npz_header(path) : safetensors_header(path);
}

Tensors read_tensor_file(const std::string& path) {
  return is_npz(path) ? read_npz(path) : read_safetensors(path);
}

}  // namespace gradproof
