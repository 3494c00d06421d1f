// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set.
#include "oracles/differences/evaluate/unit_loss.h"

namespace gradproof {

template <>
std::unique_ptr<NumericLoss<Wide>> packed_loss_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    const CompiledPipeline& compiled, AuditArithmetic type) {
  if (type == AuditArithmetic::double_double)
    return std::make_unique<UnitLoss<DoubledOf<Pack>, Wide>>(compiled);
  if (type == AuditArithmetic::triple_double)
    return std::make_unique<UnitLoss<TripledOf<Pack>, Wide>>(compiled);
  return nullptr;
}

}  // namespace gradproof
