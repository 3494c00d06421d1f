// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/number_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A number type whose relative roundings can be switched off, so that a bound can be evaluated
/// with those of one step alone. The switch is the thread's. Underflow stays.
template <class F>
struct Switched : F {
  inline static thread_local double u = F::u;

  static void round(bool on) { u = on ? F::u : 0; }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
