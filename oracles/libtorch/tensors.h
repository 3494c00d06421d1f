// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ATen/core/Tensor.h>

#include "core/tensor/tensor.h"

namespace gradproof {

/// LibTorch's name for the type.
at::ScalarType scalar_type_of(DType dtype);

/// The numbers in another type, contiguous; each is rounded once if the type does not hold it.
at::Tensor to_torch(const Tensor& tensor, DType dtype);

/// The numbers of `value` in its type, contiguous, in this shape. Throws InstrumentError for
/// another number of elements.
Tensor from_torch(const at::Tensor& value, const Shape& shape);

}  // namespace gradproof
