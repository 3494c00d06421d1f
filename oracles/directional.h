// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim.h"
#include "core/tensor.h"
#include "oracles/real.h"

namespace gradproof {

/// directional_derivative with all its digits.
Real real_directional_derivative(const Claim& claim, const Tensors& inputs,
                                 const Tensors& directions);

}  // namespace gradproof
