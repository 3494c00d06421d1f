// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/tensor.h"

namespace gradproof {

/// 64-bit FNV-1a of the logical elements' bytes in row-major order, as 16 hex digits: equal digests
/// mean equal bits, whatever the layout.
std::string digest(const Tensor& tensor);

}  // namespace gradproof
