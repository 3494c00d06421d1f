// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/quick_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// hi + mid + lo, unevaluated, each at most u = 2^-53 of the one before (and a few u of that): 159
/// bits. V is double or Pack; no branch, so every function takes the same steps in each lane.
///
/// What is added and in which order: after Fabiano, Muller, Picot, "Algorithms for triple-word
/// arithmetic", IEEE TC 2019, whose merges and branches on zeros are replaced by sums that are
/// exact without them. The bounds are derived here, for numbers without over- or underflow, in
/// units of u^3 of the result; terms of u^4 are below what the statements round up. An overflow in
/// any step makes the result infinite or NaN.
template <class V>
struct TripleDoubleOf {
  V hi;
  V mid;
  V lo;

  DoubleDoubleOf<V> high() const { return {hi, mid}; }
};

/// big + small, exactly, for |small.hi| <= |big|, small as a double-double. What fast_two_sum(big,
/// small.hi) leaves is 0 or at least a last place of small.hi: above small.lo.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> joined_parts(const V& big,
                                                             const DoubleDoubleOf<V>& small) {
  const DoubleDoubleOf<V> high = fast_two_sum(big, small.hi);
  const DoubleDoubleOf<V> low = fast_two_sum(high.lo, small.lo);
  return {high.hi, low.hi, low.lo};
}

/// Error 8 u^3 (|x| + |y|). Only the sums into `low` round: x.lo + y.lo, 1; with the two errors, 3
/// and 4. After cancellation the parts may overlap: two more sums put them right.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> plus(const TripleDoubleOf<V>& x,
                                                     const TripleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_sum(x.hi, y.hi);
  const DoubleDoubleOf<V> mid = two_sum(x.mid, y.mid);
  const DoubleDoubleOf<V> next = two_sum(mid.hi, high.lo);
  const V low = (mid.lo + next.lo) + (x.lo + y.lo);
  const DoubleDoubleOf<V> rest = two_sum(next.hi, low);
  const DoubleDoubleOf<V> first = two_sum(high.hi, rest.hi);
  const DoubleDoubleOf<V> second = fast_two_sum(first.lo, rest.lo);
  const DoubleDoubleOf<V> a = fast_two_sum(first.hi, second.hi);
  const DoubleDoubleOf<V> b = fast_two_sum(a.lo, second.lo);
  return {a.hi, b.hi, b.lo};
}

/// x + y where |y| <= |x|/16 is known: relative error 10 u^3, as above and |x| <= 16/15 |x + y|.
/// The parts do not overlap.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> plus_small(const TripleDoubleOf<V>& x,
                                                           const TripleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = fast_two_sum(x.hi, y.hi);
  const DoubleDoubleOf<V> mid = two_sum(x.mid, y.mid);
  const DoubleDoubleOf<V> next = two_sum(mid.hi, high.lo);
  const V low = (mid.lo + next.lo) + (x.lo + y.lo);
  return joined_parts(high.hi, two_sum(next.hi, low));
}

/// Relative error 40 u^3: mid lo, lo mid and lo lo, left out, 2; the three plain products and their
/// sums, 3 + 5; the errors' sums, 2, 5 and 7; the last sum, 10.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> times(const TripleDoubleOf<V>& x,
                                                      const TripleDoubleOf<V>& y) {
  const DoubleDoubleOf<V> high = two_product(x.hi, y.hi);
  const DoubleDoubleOf<V> cross = two_product(x.hi, y.mid);
  const DoubleDoubleOf<V> other = two_product(x.mid, y.hi);
  const DoubleDoubleOf<V> sum = two_sum(cross.hi, other.hi);
  const DoubleDoubleOf<V> next = two_sum(sum.hi, high.lo);
  const V plain = times_plus(x.lo, y.hi, times_plus(x.hi, y.lo, V(x.mid * y.mid)));
  const V low = ((cross.lo + other.lo) + (sum.lo + next.lo)) + plain;
  return joined_parts(high.hi, two_sum(next.hi, low));
}

/// x^2, relative error 24 u^3: mid lo twice and lo lo, left out, 2; the plain products, 2 + 3; the
/// errors' sums, 5; the last sum, 8.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> squared(const TripleDoubleOf<V>& x) {
  const V twice = 2 * x.hi;
  const DoubleDoubleOf<V> high = two_product(x.hi, x.hi);
  const DoubleDoubleOf<V> cross = two_product(twice, x.mid);
  const DoubleDoubleOf<V> next = two_sum(cross.hi, high.lo);
  const V low = (cross.lo + next.lo) + times_plus(twice, x.lo, V(x.mid * x.mid));
  return joined_parts(high.hi, two_sum(next.hi, low));
}

/// Relative error 72 u^3, by long division: the first quotient, and from its remainder (3 u) the
/// rest as a double-double. The remainder's lower part: 5, 6, 1 + 2 and 8; that quotient's own
/// error, 14 u^2 of 3 u, 42; y.lo left out there, 3.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> over(const TripleDoubleOf<V>& x,
                                                     const TripleDoubleOf<V>& y) {
  const V first = x.hi / y.hi;
  const DoubleDoubleOf<V> product = two_product(first, y.mid);
  const DoubleDoubleOf<V> mid = two_sum(x.mid, V(-product.hi));
  const DoubleDoubleOf<V> sum = two_sum(remainder_of(x.hi, first, y.hi), mid.hi);
  const V low = ((sum.lo + mid.lo) - product.lo) + times_plus(V(-first), y.lo, x.lo);
  return joined_parts(first, over(two_sum(sum.hi, low), y.high()));
}

/// Relative error 16 u^3: the remainder's lower part, 3; the quotient's own error, 6 u^2 of 2
/// u, 12.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> over(const TripleDoubleOf<V>& x,
                                                     std::type_identity_t<V> y) {
  const V first = x.hi / y;
  const DoubleDoubleOf<V> sum = two_sum(remainder_of(x.hi, first, y), x.mid);
  return joined_parts(first, over(two_sum(sum.hi, V(sum.lo + x.lo)), y));
}

/// Relative error 24 u^3, for x > 0: s = sqrt(x.hi) and, of the remainder r (3 u), s + r/2s -
/// (r/2s)^2/2s. The remainder's lower part, 2; r/2s (3/2 u), 6 u^2 of it, 9; its square in double,
/// 3.4, without its lower part, 2.3; the third power, left out, 1.7; the last difference, 2.7.
template <class V>
[[gnu::always_inline]] inline TripleDoubleOf<V> root(const TripleDoubleOf<V>& x) {
  const V first = sqrt(x.hi);
  const V twice = 2 * first;
  const DoubleDoubleOf<V> sum = two_sum(remainder_of(x.hi, first, first), x.mid);
  const DoubleDoubleOf<V> linear = over(two_sum(sum.hi, V(sum.lo + x.lo)), twice);
  const V square = linear.hi * linear.hi / twice;
  return joined_parts(first, two_sum(linear.hi, V(linear.lo - square)));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
