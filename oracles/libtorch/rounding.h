// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ATen/core/Tensor.h>

#include "core/graph/graph.h"

namespace gradproof {

/// x rounded to the type that the step says: a cast and back; or, where LibTorch has no such type,
/// whole multiples of a power of 2.
at::Tensor rounded_to_type(const GraphStep& step, const at::Tensor& x);

}  // namespace gradproof
