// SPDX-License-Identifier: Apache-2.0
// The reader of files of tensors, on any bytes.
#include "core/error.h"
#include "tensor_files/safetensors.h"
#include "tensor_files/tensor_file.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace gradproof {

void fuzz_tensors(std::string_view text) {
  const auto tensors = unless_refused<UsageError>(
      [&] { return read_tensor_file(MemoryFile(std::string(text)).path()); });
  if (!tensors) return;
  const MemoryFile file("");
  write_safetensors(file.path(), *tensors);
  const Tensors again = read_safetensors(file.path());
  require(again.size() == tensors->size(), "the file of tensors has others");
  for (const auto& [name, tensor] : *tensors)
    require(same_bits(tensor, get(again, name)), "the file of tensors has other bits: " + name);
}

}  // namespace gradproof
