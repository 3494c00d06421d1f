// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/graph/audit/graph_target.h"

namespace gradproof {

/// The loss of a unit in packs of double-doubles. The target must outlive it.
std::unique_ptr<PerturbedLoss> packed_loss_of_graph(const GraphTarget& target);

/// The loss of a unit in triple-doubles or in 400 digits, of the part's function.
std::unique_ptr<PerturbedLoss> function_loss_of_graph(const GraphTarget& target,
                                                      AuditArithmetic arithmetic);

}  // namespace gradproof
