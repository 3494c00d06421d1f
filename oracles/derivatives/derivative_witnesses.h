// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/claim/claim.h"
#include "core/compare/audit_row.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Checks of the oracle's adjoint that use no difference of the value, by gradient (d_x, d_weight,
/// ...). Witnesses, in this order:
///
///   dual numbers      <J v, dy> forward through the value, <v, J^T dy> by the adjoint, for random
///                     v, unit by unit (docs/audit.md)
///   second order      the adjoint's derivative by this tensor's entries, in two ways
///   second order, dy  of d_x only: the adjoint's derivative by dy
///
/// Second order only where the pipeline is declared differentiable twice; otherwise one witness
/// with the verdict silent states that it is not. Verdicts: agrees, wrong, silent; only a
/// computation in 400 digits makes a witness wrong or silent.
std::map<std::string, std::vector<AuditWitness>> derivative_witnesses(const Claim& claim,
                                                                      const Tensors& inputs);

}  // namespace gradproof
