// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/blocks/exact_block.h"

namespace gradproof {

inline SignedClass class_of_exact(const Real& number) {
  if (isnan(number)) return SignedClass::nan;
  if (isinf(number)) return number < 0 ? SignedClass::minus_inf : SignedClass::plus_inf;
  if (number == 0) return SignedClass::zero;
  return number < 0 ? SignedClass::negative : SignedClass::positive;
}

}  // namespace gradproof
