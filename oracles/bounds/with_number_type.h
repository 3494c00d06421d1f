// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor/dtype.h"
#include "oracles/bounds/number_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Calls use(F()), where F is the number type that a contract's code accumulates in.
template <class AnyContract, class Use>
auto with_number_type(const AnyContract& contract, const Use& use) {
  if (contract.accumulation == DType::f64) return use(Binary64());
  if (contract.flush_to_zero) return use(Binary32Flushed());
  return use(Binary32());
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
