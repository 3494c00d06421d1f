// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A number after one rounding to the type; unit 0: there is none. To nearest it stays finite below
/// the middle between the largest number and the next that the type would have.
template <class F, class V>
ErrorScalar<F, V> rounded_to(const StoredType& type, const ErrorScalar<F, V>& x) {
  if (type.unit == 0) return x;
  ErrorScalar<F, V> r = x;
  const V before = x.total();
  const V magnitude = abs(x.v) + before;
  r.e += select(magnitude == V(0), V(0), V(type.unit * magnitude + type.underflow));
  const MaskOf<V> beyond = is_finite(x.v) & MaskOf<V>(!(magnitude < V(type.overflow)));
  if (any(beyond)) [[unlikely]] {
    const MaskOf<V> sure =
        beyond & MaskOf<V>(!(x.vacuous | x.overflow)) & (abs(x.v) - before >= V(type.overflow));
    r.overflow = r.overflow | beyond;
    become_infinite(r, sure);
  }
  return r;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
