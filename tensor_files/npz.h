// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/tensor.h"
#include "tensor_files/stored_tensor.h"

namespace gradproof {

/// The format of numpy.savez and savez_compressed: a zip archive of a .npy for each array (NEP 1).
/// A file is refused by UsageError, with its path: an entry that is no .npy, a name twice, a size
/// other than that of type and shape, a wrong checksum, a header that parse_npy_header refuses.

/// True if the file begins as a zip archive does.
bool is_npz(const std::string& path);

/// The header of all entries. Bytes are counted from the beginning of the entry.
StoredHeader npz_header(const std::string& path);

/// Reads all tensors of the file.
Tensors read_npz(const std::string& path);

}  // namespace gradproof
