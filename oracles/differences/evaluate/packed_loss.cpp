// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set.
#include "oracles/differences/evaluate/numeric_loss_in.h"

namespace gradproof {

template <>
std::unique_ptr<NumericLoss<Wide>> packed_loss_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    const CompiledPipeline& compiled, NumberType type) {
  if (type == NumberType::double_double)
    return std::make_unique<NumericLossIn<DoubledOf<Pack>, Wide>>(compiled);
  if (type == NumberType::triple_double)
    return std::make_unique<NumericLossIn<TripledOf<Pack>, Wide>>(compiled);
  return nullptr;
}

}  // namespace gradproof
