// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/evaluate/numeric_loss.h"

#include "core/error.h"
#include "oracles/differences/evaluate/numeric_loss_in.h"
#include "oracles/differences/exact.h"

namespace gradproof {

std::vector<NumberType> number_types_of(AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double) return {NumberType::double_double};
  if (arithmetic == AuditArithmetic::triple_double) return {NumberType::triple_double};
  return {NumberType::digits50, NumberType::digits400};
}

std::int64_t quicker_through_statistics(NumberType type) {
  if (type == NumberType::double_double) return 16;
  return type == NumberType::triple_double ? 28 : 40;
}

std::vector<PackedLossCompilation> packed_loss_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_loss_of<set>; });
}

template <>
std::unique_ptr<NumericLoss<Wide>> numeric_loss(const CompiledPipeline& compiled, NumberType type) {
  static const PackedLossCompilation best = widest(packed_loss_compilations());
  auto loss = best.make(compiled, type);
  if (loss == nullptr) throw InstrumentError("packed losses do not come in 50 digits or more");
  return loss;
}

template <>
std::unique_ptr<NumericLoss<Real>> numeric_loss(const CompiledPipeline& compiled, NumberType type) {
  if (type == NumberType::digits400)
    return std::make_unique<NumericLossIn<Digits400, Real>>(compiled);
  return std::make_unique<NumericLossIn<Real, Real>>(compiled);
}

}  // namespace gradproof
