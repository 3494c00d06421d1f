// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/tensor/tensor.h"
#include "oracles/arithmetic/real.h"

namespace gradproof {

/// directional_derivative() (oracles/oracle.h) in 50 digits.
Real real_directional_derivative(const Claim& claim, const Tensors& inputs,
                                 const Tensors& directions);

}  // namespace gradproof
