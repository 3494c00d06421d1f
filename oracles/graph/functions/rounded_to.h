// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The largest power of two that is at most a positive number; 0 below the normal numbers.
template <class V>
V power_below(const V& x) {
  return select(is_finite(x), doubles_of(bits_of(x) & 0x7FF0000000000000U), x);
}

/// A number after one rounding to the type; unit 0: there is none. To nearest it stays finite below
/// the middle between the largest number and the next that the type would have, and is off by half
/// of the distance between two numbers, which is the same in all of [2^k, 2^(k + 1)).
template <class F, class V>
ErrorScalar<F, V> rounded_to(const StoredType& type, const ErrorScalar<F, V>& x) {
  if (type.unit == 0) return x;
  ErrorScalar<F, V> r = x;
  const V before = x.total();
  const V magnitude = abs(x.v) + before;
  r.e += type.unit * power_below(magnitude) + type.underflow;
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
