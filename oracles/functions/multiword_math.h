// SPDX-License-Identifier: Apache-2.0
#pragma once
// A user's program may compile these functions with other options than the library: a namespace of
// its own keeps the two apart.
#ifndef GRADPROOF_ARITHMETIC_UNIT
#define GRADPROOF_ARITHMETIC_UNIT function
#endif
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/real_of.h"
#include "oracles/arithmetic/wide_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

// These are the functions of wide_functions.h that MPFR's numbers lack.

template <unsigned Digits>
Real real_of(const Exact<Digits>& v) {
  return Real(v);
}
/// The number in 400 digits, which hold every sum of few doubles.
template <WideNumber V>
Digits400 in_digits400(const V& v) {
  return real_of(v);
}
template <unsigned Digits>
Digits400 in_digits400(const Exact<Digits>& v) {
  return Digits400(v);
}

template <WideNumber V>
bool has_value(const V& v) {
  return std::isfinite(v.hi);
}
template <unsigned Digits>
bool has_value(const Exact<Digits>& v) {
  return isfinite(v);
}
template <unsigned Digits>
struct PiOf<Exact<Digits>> {
  static Exact<Digits> value() { return 4 * atan(Exact<Digits>(1)); }
};

template <unsigned Digits>
Exact<Digits> erf(const Exact<Digits>& x) {
  Exact<Digits> result;
  mpfr_erf(result.backend().data(), x.backend().data(), MPFR_RNDN);
  return result;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
