// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "tensor_files/stored_tensor.h"

namespace gradproof {

/// Type and shape from the text of a .npy's header, a dictionary of Python such as
/// `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }` (NEP 1). Throws UsageError for any
/// other text, for types that are not read (big-endian, structured, complex, objects) and for
/// Fortran's order; `name` is the tensor's.
StoredTensor parse_npy_header(std::string_view text, const std::string& name);

}  // namespace gradproof
