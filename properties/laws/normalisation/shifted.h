// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Inputs with a constant added to shifted_tensor(), the same within a unit and large beside the
/// numbers: 2^(p/3 - 1) times the largest, p the bits of the type. Both are multiples of one power
/// of 2 that the type can hold, so that the sum is exact.
struct Shifted {
  std::string tensor;
  Tensors before;
  Tensors after;
};
Shifted shifted_inputs(const Claim& claim, const Tensors& inputs);

}  // namespace gradproof
