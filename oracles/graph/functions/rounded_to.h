// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A number after one rounding to the type; unit 0: there is none.
template <class F, class V>
ErrorScalar<F, V> rounded_to(const StoredType& type, const ErrorScalar<F, V>& x) {
  if (type.unit == 0) return x;
  ErrorScalar<F, V> r = x;
  const V magnitude = abs(x.v) + x.total();
  r.e += type.unit * magnitude + type.underflow;
  r.overflow = r.overflow | (is_finite(x.v) & !(magnitude + r.e <= V(type.largest)));
  return r;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
