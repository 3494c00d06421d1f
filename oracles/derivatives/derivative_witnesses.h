// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/compare/audit_row.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// What is said of the oracle's adjoint without a difference of the value, by gradient (d_x,
/// d_weight, ...). Witnesses, in this order:
///
///   dual numbers      <J v, dy> forward through the value, <v, J^T dy> by the adjoint, for random
///                     v, unit by unit (docs/audit.md)
///   second order      the adjoint's own derivative by this tensor's entries, twice
///   second order, dy  of d_x only: the adjoint's derivative by dy
///
/// Second order only where the pipeline is declared differentiable twice; otherwise one witness
/// says so and is silent. Verdicts: agrees, wrong, silent; wrong and silent by 50 digits.
std::map<std::string, std::vector<AuditWitness>> derivative_witnesses(const Claim& claim,
                                                                      const Tensors& inputs);

}  // namespace gradproof
