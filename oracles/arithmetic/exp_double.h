// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/exp_table.h"
#include "oracles/arithmetic/lanes.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

inline constexpr double kStepsInOne = 0x1.71547652b82fep+6;  // 64/ln2
inline constexpr double kWhole =
    0x1.8p52;  // adding it rounds to an integer, kept in the lowest bits

/// 2^floor(k/64 + more), from the exponent's bits; the result must be a normal number.
template <class V, class Bits>
[[gnu::always_inline]] inline V power_of_steps(const Bits& k, int more) {
  constexpr std::uint64_t kFraction = 63;
  return doubles_of(((k & ~kFraction) << 46) + (static_cast<std::uint64_t>(1023 + more) << 52));
}

/// Relative error of `exp_of_negative` where the result is normal; 2^-1074 more where it is not.
/// In units of 2^-53: the table's number, 1; k ln2/64 in two parts, the first product exact, the
/// second and the sums, 0.02 of the result together; terms left out, r^6/720 < 0.01; inside the
/// polynomial, 0.02; its product and the last sum, 1.02. Stated with more than 3 to spare.
inline constexpr double kExpOfNegativeError = 0x1p-50;

/// e^x for x <= 0 with an error of some units in the last place, for the error arithmetic, whose
/// own roundings kBookkeeping covers (oracles/bounds/number_type.h). NaN for NaN. Every compilation
/// gives the same bits: there is no fused operation and no branch.
template <class V>
[[gnu::always_inline]] inline V exp_of_negative(const V& x) {
  constexpr double kStep1 = 0x1.62e42fefap-7;
  constexpr double kStep2 = 0x1.cf79abc9e3b3ap-46;
  const V held = max(V(-800), x);  // below -746 the result is 0
  const V shifted = held * kStepsInOne + kWhole;
  const V k = shifted - kWhole;
  const V r = (held - k * kStep1) - k * kStep2;
  const V s = r * r;
  const V p = r + s * ((0.5 + r * (1.0 / 6)) + s * (1.0 / 24 + r * (1.0 / 120)));
  const auto steps = bits_of(shifted) - bits_of(kWhole);
  const V fraction = looked_up(kTwoToFraction, (steps & 63) << 1);
  return (fraction + fraction * p) * power_of_steps<V>(steps, 600) * 0x1p-600;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
