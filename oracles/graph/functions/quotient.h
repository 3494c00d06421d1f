// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A quotient as the division of a back-end gives it; of a truth the quotient.
template <class Functions, class T>
[[gnu::always_inline]] inline T quotient_of(const Functions& f, const T& exact) {
  if constexpr (requires { f.quotient(exact); })
    return f.quotient(exact);
  else
    return exact;
}

/// A number of the text as a back-end has it; of a truth the number.
template <class Functions, class T>
[[gnu::always_inline]] inline T literal_of(const Functions& f, const T& exact) {
  if constexpr (requires { f.literal(exact); })
    return f.literal(exact);
  else
    return exact;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
