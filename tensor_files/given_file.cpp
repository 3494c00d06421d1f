// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/given_file.h"

#include "tensor_files/tensor_file.h"

namespace gradproof {

GivenFile given_file_at(const std::string& path) {
  const StoredHeader header = tensor_file_header(path);
  GivenFile file{path, {}, says_of_run(header.metadata)};
  for (const auto& [name, stored] : header.tensors)
    file.tensors.emplace(
        name, GivenTensor{stored.type->dtype, stored.shape, stored.type->is_read_wider()});
  return file;
}

}  // namespace gradproof
