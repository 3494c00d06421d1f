// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace gradproof {

/// What a file says of one of its tensors. Integers of other widths are read as i64.
struct StoredTensor {
  std::string type;          ///< the format's word: "F32", "BF16", "I32"
  DType dtype = DType::f32;  ///< that it is read as
  Shape shape;
  std::uint64_t first = 0;  ///< bytes, from the end of the header
  std::uint64_t end = 0;
};

using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

/// The format safetensors (huggingface/safetensors, format.md): the length of a JSON object in 8
/// bytes, the object, and the tensors' bytes, all little-endian. A file is refused by UsageError,
/// with its path, where the reference refuses it: a header that is no object or longer than the
/// file, a name twice, an unknown type, offsets that are out of range, overlap, leave bytes to
/// nobody or are not as many as type and shape say.

/// Names, types and shapes, and what the file says beside them (`__metadata__`): texts by name.
struct StoredHeader {
  StoredTensors tensors;
  std::map<std::string, std::string, std::less<>> metadata;
};
StoredHeader safetensors_header(const std::string& path);

/// The same of a header's text, `bytes` following it.
StoredHeader parse_safetensors_header(std::string_view text, std::uint64_t bytes);

/// All tensors.
Tensors read_safetensors(const std::string& path);

/// Writes them in the order of their names. Throws InstrumentError where the file cannot be
/// written.
void write_safetensors(const std::string& path, const Tensors& tensors);

}  // namespace gradproof
