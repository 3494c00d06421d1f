// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

#include "oracles/arithmetic/double_double.h"
#include "oracles/arithmetic/exp_table.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Where `exponential` holds: 2^-996 < e^x < 2^996.
inline constexpr double kExpRange = 690;

/// Relative error of `exponential`, beside an absolute one below 2^-1073 from scaling. With
/// |r| <= ln2/128 (1 + 2^-20) < 2^-7.52, in units of u^2 e^x:
///   1     table
///   0.04  the reduced argument, 2^-110.7
///   1.4   tail of the polynomial in double: 4.2 u of |r t| < 2^-17, times r^5 < 2^-37.6
///   0.3   terms left out, r^11/11! and on
///   0.2   inside expm1(r): the last sum 4 |r|, all else times r^2
///   0.1   product with the table's number: 8 |r|
///   4     last sum, plus_small
/// 7.1 in all; stated with a factor 2 to spare.
inline constexpr double kExpError = 0x1p-102;

/// x = k ln2/64 + r.
struct ReducedArgument {
  std::int64_t steps;
  DoubleDouble rest;
};

/// k ln2/64 goes in three parts: two of 36 bits, whose products with |k| < 2^16 are exact, the
/// third to 2^-142. Roundings: k times the third, 2^-122; three sums below 2^-59.4, 2^-112.4 each
/// at most.
[[gnu::always_inline]] inline ReducedArgument reduced(const DoubleDouble& x) {
  constexpr double kStepsInOne = 0x1.71547652b82fep+6;  // 64/ln2
  constexpr double kStep1 = 0x1.62e42fefap-7;
  constexpr double kStep2 = 0x1.cf79abc9ep-46;
  constexpr double kStep3 = 0x1.d9cc01f97b57ap-85;
  constexpr double kWhole = 0x1.8p52;  // adding it rounds to an integer, kept in the lowest bits
  const double shifted = x.hi * kStepsInOne + kWhole;
  const double k = shifted - kWhole;
  const DoubleDouble high = two_sum(x.hi, -k * kStep1);
  const DoubleDouble low = two_sum(x.lo, -k * kStep2);
  const DoubleDouble sum = two_sum(high.hi, low.hi);
  const double rest = sum.lo + (low.lo + (high.lo - k * kStep3));
  const std::int64_t steps =
      std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kWhole);
  return {steps, two_sum(sum.hi, rest)};
}

/// expm1(r) = r + r^2 (1/2 + r (1/6 + r (1/24 + r (1/120 + r t)))), t in double, to r^10.
[[gnu::always_inline]] inline DoubleDouble expm1_small(const DoubleDouble& r) {
  constexpr DoubleDouble kTwo{0.5, 0};
  constexpr DoubleDouble kSix{0x1.5555555555555p-3, 0x1.5555555555555p-57};
  constexpr DoubleDouble kTwentyFour{0x1.5555555555555p-5, 0x1.5555555555555p-59};
  constexpr DoubleDouble kHundredTwenty{0x1.1111111111111p-7, 0x1.1111111111111p-63};
  const double s = r.hi * r.hi;
  const double t = (1.0 / 720 + r.hi * (1.0 / 5040)) +
                   s * ((1.0 / 40320 + r.hi * (1.0 / 362880)) + s * (1.0 / 3628800));
  DoubleDouble factor = plus_small(kHundredTwenty, {r.hi * t, 0});
  factor = plus_small(kTwentyFour, times(r, factor));
  factor = plus_small(kSix, times(r, factor));
  factor = plus_small(kTwo, times(r, factor));
  return plus_small(r, times(times(r, r), factor));
}

/// e^x for |x.hi| <= kExpRange: 2^(k/64) e^r, by table, polynomial and the exponent's bits.
[[gnu::always_inline]] inline DoubleDouble exponential(const DoubleDouble& x) {
  const ReducedArgument argument = reduced(x);
  const DoubleDouble fraction = kTwoToFraction[argument.steps & 63];
  const DoubleDouble whole = plus_small(fraction, times(fraction, expm1_small(argument.rest)));
  const std::int64_t exponent = (argument.steps >> 6) + 1023;  // of a normal number
  const auto scale = std::bit_cast<double>(exponent << 52);
  return {whole.hi * scale, whole.lo * scale};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
