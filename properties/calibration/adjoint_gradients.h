// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"
#include "oracles/arithmetic/real.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// Gradient tensors at 50 digits, row-major, by name (d_x).
using RealGradients = std::map<std::string, Values<Real>, std::less<>>;

/// The gradients of L = sum dy y by the adjoint of the claim's pipeline, for every gradient that
/// the claim has.
RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs);

}  // namespace gradproof
