// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/numeric_loss.h"

#include "core/error.h"

namespace gradproof {

std::vector<PackedLossCompilation> packed_loss_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_loss_of<set>; });
}

std::unique_ptr<NumericLoss<Wide>> packed_loss(const CompiledPipeline& compiled,
                                               AuditArithmetic type) {
  static const PackedLossCompilation best = widest(packed_loss_compilations());
  auto loss = best.make(compiled, type);
  if (loss == nullptr) throw InstrumentError("packed losses do not come in 400 digits");
  return loss;
}

}  // namespace gradproof
