// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/number_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A number type whose relative roundings and whose underflow can be switched off, so that a bound
/// can be evaluated with those of one source alone. The switches are the thread's.
template <class F>
struct Switched : F {
  inline static thread_local double u = F::u;
  inline static thread_local double eta = F::eta;
  inline static thread_local double eta_of_sums = F::eta_of_sums;

  static void round(bool on) { u = on ? F::u : 0; }
  static void underflow(bool on) {
    eta = on ? F::eta : 0;
    eta_of_sums = on ? F::eta_of_sums : 0;
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
