// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/expm1_double_double.h"
#include "oracles/arithmetic/quick_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Relative error of `logarithm` and `logarithm_of_one_plus`. With x = 2^k m, w = m - 1,
/// L = log(m), |L| <= 0.3466, |w| <= 1.196 |L|:
///   the estimate y of L, in double, is within 6 u of it: w without its lower part, 2 + w, their
///   quotient and the last sum, 5 u; the rest of the series, and what it leaves out, below 0.5 u.
///   So |d| < 2^-50 |L| for d = m e^-y - 1 = w + m (e^-y - 1), whose parts all but cancel.
///   d: the error of e^-y - 1, 2^-97 (kExpm1Error), and in units of u^2 that of w, 2, of m, 2, and
///   of the product, 8, times m |e^-y - 1|, which is |w| to 2^-49: (2^-97 + 12 u^2) 1.196 |L|
///   d for log(1 + d), which lies within d^2: 2^-101.5 |L|
///   y + d: 4 u^2 |L|
/// That is 2^-96.7 |L|. If k is not 0, |log x| > |k| 0.3466 and >= |L|, and in units of u^2 k ln2
/// adds (1 + 4) 2, the last sum 3, and in log1p the sum 1 + x 2/0.3466: 2^-96.6 in all; stated as
/// 2^-96.
inline constexpr double kLogError = 0x1p-96;

/// The exponents and signs in the bits of doubles, as whole numbers.
[[gnu::always_inline]] inline std::uint64_t exponents_of(std::uint64_t bits) { return bits >> 52; }
[[gnu::always_inline]] inline PackBits exponents_of(const PackBits& bits) {
  return {bits.raw >> 52};
}

/// The powers of two by which a number is brought between sqrt(1/2) and sqrt(2): it is 2^exponent
/// times what is left.
template <class V>
struct ScaleToOne {
  V exponent;
  V first;  ///< brings numbers far from 1 into a range where `second` is a normal number
  V second;

  V of(const V& part) const { return part * first * second; }
};

/// The scale of 0 < x < infinity; any other x gives some scale or NaN, without a trap.
template <class V>
[[gnu::always_inline]] inline ScaleToOne<V> scale_to_one(const V& x) {
  constexpr std::uint64_t kBias = std::uint64_t{1023} << 52;
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcd;
  const MaskOf<V> small = x < V(0x1p-512);
  const MaskOf<V> large = x >= V(0x1p512);
  const V moved = select(small, V(-600), select(large, V(600), V(0)));
  const V first = select(small, V(0x1p600), select(large, V(0x1p-600), V(1)));
  const auto biased = exponents_of((bits_of(V(x * first)) - kRootOfHalf) + kBias);
  const V exponent = (doubles_of(biased + bits_of(0x1p52)) - 0x1p52) - 1023;
  return {exponent + moved, first, 1 / doubles_of(biased << 52)};
}

/// x = 2^exponent significand, with sqrt(1/2) <= significand < sqrt(2) by its upper part.
template <class V>
struct SplitNumber {
  V exponent;
  DoubleDoubleOf<V> significand;
};

/// Splits 0 < x < infinity. It is exact but for a lower part that underflows, below 2^-400 of x.
template <class V>
[[gnu::always_inline]] inline SplitNumber<V> split(const DoubleDoubleOf<V>& x) {
  const ScaleToOne<V> scale = scale_to_one(x.hi);
  return {scale.exponent, {scale.of(x.hi), scale.of(x.lo)}};
}

/// log(1 + w) in double: 2 atanh(w/(2 + w)).
template <class V>
[[gnu::always_inline]] inline V estimated_logarithm(const V& w) {
  const V z = w / (2 + w);
  const V s = z * z;
  V series = 1.0 / 19;
  for (const double next :
       {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3})
    series = times_plus(series, s, V(next));
  return times_plus(V(2 * z * s), series, V(2 * z));
}

/// log(m), m = 1 + w, by one step of Newton's iteration on e^y = m.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> corrected_logarithm(const V& estimate,
                                                                    const DoubleDoubleOf<V>& m,
                                                                    const DoubleDoubleOf<V>& w) {
  const DoubleDoubleOf<V> d =
      plus(w, times(m, exponential_minus_one(DoubleDoubleOf<V>{-estimate, V(0)})));
  return plus_small(DoubleDoubleOf<V>{estimate, V(0)}, d);
}

/// log(m) for the m of `split` and w = m - 1.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> logarithm_near_one(const DoubleDoubleOf<V>& m,
                                                                   const DoubleDoubleOf<V>& w) {
  const DoubleDoubleOf<V> value = corrected_logarithm(estimated_logarithm(w.hi), m, w);
  return select(abs(w.hi) < V(kTiny), w, value);
}

template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> with_exponent(const V& exponent,
                                                              const DoubleDoubleOf<V>& value) {
  const DoubleDoubleOf<V> log_of_two{V(0x1.62e42fefa39efp-1), V(0x1.abc9e3b39803fp-56)};
  return plus(times(log_of_two, exponent), value);
}

/// log(x) for x > 0; otherwise some number or none, without a trap.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> logarithm(const DoubleDoubleOf<V>& x) {
  const SplitNumber<V> s = split(x);
  const DoubleDoubleOf<V> w = plus(s.significand, V(-1));
  return with_exponent(s.exponent, logarithm_near_one(s.significand, w));
}

/// log(1 + x) for x > -1, without cancellation near 0: where 1 + x is not scaled, w is x itself.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> logarithm_of_one_plus(const DoubleDoubleOf<V>& x) {
  const SplitNumber<V> s = split(plus(x, V(1)));
  const DoubleDoubleOf<V> w = select(s.exponent == V(0), x, plus(s.significand, V(-1)));
  return with_exponent(s.exponent, logarithm_near_one(s.significand, w));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
