// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/expm1_triple_double.h"
#include "oracles/arithmetic/log_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// log(m), m = 1 + w, by one more step of Newton's iteration on e^y = m, from the y of
/// double-doubles. That is within 2^-95 of the logarithm L, so that for d = m e^-y - 1 the second
/// term of log(1 + d), d^2/2, is below 2^-191 |L|. The error is that of e^-y - 1, times 1.2
/// (log_double_double.h).
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm_near_one(const TripleDoubleOf<V>& m,
                                                                   const TripleDoubleOf<V>& w) {
  const DoubleDoubleOf<V> y = logarithm_near_one(m.high(), w.high());
  const TripleDoubleOf<V> d =
      plus(w, times(m, exponential_minus_one(TripleDoubleOf<V>{-y.hi, -y.lo, V(0)})));
  return select(abs(w.hi) < V(kTinyOfTriple), w,
                plus_small(TripleDoubleOf<V>{y.hi, y.lo, V(0)}, d));
}

template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> with_exponent(const V& exponent,
                                                              const TripleDoubleOf<V>& value) {
  const TripleDoubleOf<V> log_of_two{V(0x1.62e42fefa39efp-1), V(0x1.abc9e3b39803fp-56),
                                     V(0x1.7b57a079a1934p-111)};
  return plus(times(log_of_two, TripleDoubleOf<V>{exponent, V(0), V(0)}), value);
}

/// log(x) for x > 0; otherwise some number or none, without a trap.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm(const TripleDoubleOf<V>& x) {
  const ScaleToOne<V> scale = scale_to_one(x.hi);
  const TripleDoubleOf<V> m{scale.of(x.hi), scale.of(x.mid), scale.of(x.lo)};
  const TripleDoubleOf<V> w = plus(m, TripleDoubleOf<V>{V(-1), V(0), V(0)});
  return with_exponent(scale.exponent, logarithm_near_one(m, w));
}

/// log(1 + x) for x > -1, without cancellation near 0: where 1 + x is not scaled, w is x itself.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> logarithm_of_one_plus(const TripleDoubleOf<V>& x) {
  const TripleDoubleOf<V> whole = plus(x, TripleDoubleOf<V>{V(1), V(0), V(0)});
  const ScaleToOne<V> scale = scale_to_one(whole.hi);
  const TripleDoubleOf<V> m{scale.of(whole.hi), scale.of(whole.mid), scale.of(whole.lo)};
  const TripleDoubleOf<V> w =
      select(scale.exponent == V(0), x, plus(m, TripleDoubleOf<V>{V(-1), V(0), V(0)}));
  return with_exponent(scale.exponent, logarithm_near_one(m, w));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
