// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/erf_table.h"
#include "oracles/arithmetic/exp_double.h"
#include "oracles/arithmetic/quick_double_double.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// 2/sqrt(pi), the slope of erf at 0 and its largest.
inline constexpr double kErfSlope = 0x1.20dd750429b6dp+0;

/// The last node is 8.25.
inline constexpr double kErfNodesInOne = 16;
inline constexpr double kErfRange = 8.25 + 0.5 / kErfNodesInOne;

/// Relative error of `error_function`, beside an absolute one below 2^-1060 from products that
/// underflow.
///
/// Beside the node a, with x = a + t, |t| <= 1/32 and H_n Hermite's polynomials,
///   erf(x) = erf(a) + 2/sqrt(pi) e^(-a^2) t S,  S = sum phi_n/(n + 1),  phi_n = H_n(a) (-t)^n/n!.
/// With p = 2 a t and q = 2 t^2, H's recurrence is phi_(n+1) = -(p phi_n + q phi_(n-1))/(n + 1),
/// and Clenshaw's summation of it, g_n being his y_n/n!, is
///   g_n = 1/(n + 1)! - (p g_(n+1) + (n + 1) q g_(n+2)),  S = g_0.
/// An error e_n of g_n adds e_n n! phi_n to S, as it is that of the term 1/(n + 1)!. |phi_n| is at
/// most 1.0865 e^(a^2/2) (sqrt(2)/32)^n/sqrt(n!) by Cramer's inequality, and its sum e^(p + q/2).
/// |p| <= 0.52, so 0 < g_n < 1.36/(n + 1)!. Relative to erf(x), where 2/sqrt(pi) e^(-a^2) |t| is at
/// most 1.001 erf(x), and 0.02 erf(x) for a >= 1:
///   2^-104.7  terms left out, from n = 17 on
///   2^-98.09  g_n from n = 8 on, in double: 3 u/(n + 1)! each
///   2^-102    p g_8 + 8 q g_9 in double: 3 u of it
///   2^-101.1  in units of u^2, g_n below 8, 6/(n + 1)! each and twice as much for a >= 1: its
///             constant, 1, the last sum, 4.5, and p g_(n+1) and q g_(n+2), 16 and 24 of them.
///             t S 8, times the slope 8 + 1; erf(a), at most 2 erf(x), 1; the last sum, 3
/// 2^-97.8 in all; stated as 2^-97. Beyond kErfRange erf is 1 within 2^-102.8.
inline constexpr double kErfError = 0x1p-97;

/// 1/(n + 1)!.
inline constexpr double kErfTerms[17] = {1.0,
                                         0.5,
                                         0x1.5555555555555p-3,
                                         0x1.5555555555555p-5,
                                         0x1.1111111111111p-7,
                                         0x1.6c16c16c16c17p-10,
                                         0x1.a01a01a01a01ap-13,
                                         0x1.a01a01a01a01ap-16,
                                         1.0 / 362880,
                                         1.0 / 3628800,
                                         1.0 / 39916800,
                                         1.0 / 479001600,
                                         1.0 / 6227020800,
                                         1.0 / 87178291200,
                                         1.0 / 1307674368000,
                                         1.0 / 20922789888000,
                                         1.0 / 355687428096000};
/// The first eight terms less the doubles above, rounded to double.
inline constexpr double kErfTermsLow[8] = {0,
                                           0,
                                           0x1.5555555555555p-57,
                                           0x1.5555555555555p-59,
                                           0x1.1111111111111p-63,
                                           -0x1.f49f49f49f49fp-65,
                                           0x1.a01a01a01a01ap-73,
                                           0x1.a01a01a01a01ap-76};

/// The sum S that the comment on kErfError derives.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> clenshaw_sum(const DoubleDoubleOf<V>& p,
                                                             const DoubleDoubleOf<V>& q) {
  V after = 0;
  V first = kErfTerms[16];
  for (int n = 15; n >= 8; --n) {
    const V next = kErfTerms[n] - times_plus(p.hi, first, V((n + 1) * q.hi * after));
    after = first;
    first = next;
  }
  const V rest = times_plus(p.hi, first, V(8 * q.hi * after));
  DoubleDoubleOf<V> second{first, V(0)};
  DoubleDoubleOf<V> sum = plus_small(DoubleDoubleOf<V>{V(kErfTerms[7]), V(kErfTermsLow[7])},
                                     DoubleDoubleOf<V>{-rest, V(0)});
  for (int n = 6; n >= 0; --n) {
    const DoubleDoubleOf<V> less = quick_plus(times(p, sum), times(times(q, V(n + 1)), second));
    second = sum;
    sum = plus_small(DoubleDoubleOf<V>{V(kErfTerms[n]), V(kErfTermsLow[n])},
                     DoubleDoubleOf<V>{-less.hi, -less.lo});
  }
  return sum;
}

/// erf(x) for every x.
template <class V>
[[gnu::always_inline]] inline DoubleDoubleOf<V> error_function(const DoubleDoubleOf<V>& x) {
  const V sign = select(x.hi < V(0), V(-1), V(1));
  const MaskOf<V> saturated = abs(x.hi) > V(kErfRange);
  const V size = min(abs(x.hi), V(kErfRange));
  const V shifted = size * kErfNodesInOne + kWhole;
  const V node = (shifted - kWhole) * (1 / kErfNodesInOne);
  const auto place = (bits_of(shifted) - bits_of(kWhole)) << 2;
  const DoubleDoubleOf<V> t = two_sum(V(size - node), V(sign * x.lo));
  const DoubleDoubleOf<V> square = times(t, t);
  const DoubleDoubleOf<V> s =
      clenshaw_sum(times(t, V(2 * node)), DoubleDoubleOf<V>{2 * square.hi, 2 * square.lo});
  const DoubleDoubleOf<V> slope{looked_up(kErfNodes, place + 2), looked_up(kErfNodes, place + 3)};
  const DoubleDoubleOf<V> value =
      plus(DoubleDoubleOf<V>{looked_up(kErfNodes, place), looked_up(kErfNodes, place + 1)},
           times(slope, times(t, s)));
  return {sign * select(saturated, V(1), value.hi), sign * select(saturated, V(0), value.lo)};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
