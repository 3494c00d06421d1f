// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"
#include "tensor_files/stored_tensor.h"

namespace gradproof {

/// The format safetensors (huggingface/safetensors, format.md): the length of a JSON object in 8
/// bytes, the object, and the tensors' bytes, all little-endian. A file is refused by UsageError,
/// with its path, where the reference refuses it: a header that is no object or longer than the
/// file, a name twice, an unknown type, offsets that are out of range, overlap, leave bytes to no
/// tensor or are not as many as type and shape need.

/// Reads the header of a file. Bytes are counted from the end of the header.
StoredHeader safetensors_header(const std::string& path);

/// Reads a header from its text, which `bytes` bytes of tensors follow.
StoredHeader parse_safetensors_header(std::string_view text, std::uint64_t bytes);

/// Reads all tensors of the file.
Tensors read_safetensors(const std::string& path);

/// Writes the tensors in the order of their names. Throws InstrumentError where the file cannot be
/// written.
void write_safetensors(const std::string& path, const Tensors& tensors);

}  // namespace gradproof
