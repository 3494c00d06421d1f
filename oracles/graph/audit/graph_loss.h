// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/graph/audit/graph_target.h"

namespace gradproof {

/// The loss of a unit in an arithmetic that comes in packs. The target must outlive it.
std::unique_ptr<PerturbedLoss> packed_loss_of_graph(const GraphTarget& target,
                                                    AuditArithmetic arithmetic);

/// The loss of a unit in 400 digits, of the part's function.
std::unique_ptr<PerturbedLoss> function_loss_of_graph(const GraphTarget& target);

}  // namespace gradproof
