// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/tripled.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

// Functions beyond + - * /, exp and sqrt, one number at a time: for the scalars of a user's
// function, and for the audit of graphs.

/// The number of doubles that a V consists of.
template <WideNumber V>
inline constexpr int kDoubles = static_cast<int>(sizeof(V) / sizeof(double));

/// pi in the arithmetic of V.
template <class V>
struct PiOf {
  static V value() requires WideNumber<V> {
    const V two_doubles = V(0x1.921fb54442d18p+1) + V(0x1.1a62633145c07p-53);
    return two_doubles + V(-0x1.f1976b7ed8fbcp-109);
  }
};
/// e^x - 1 with a small relative error: Taylor's series of x/256, whose first 4 kDoubles + 3
/// terms leave out less than 2^-119 and 2^-180 for |x| <= 0.35, then (1 + e)^2 - 1 = e (2 + e).
template <WideNumber V>
V expm1(const V& x) {
  if (!(std::abs(x.hi) <= 0.35)) return exp(x) - V(1.0);
  const V a = x * V(0x1p-8);
  V series(1.0);
  for (int n = 4 * kDoubles<V> + 3; n > 1; --n) series = V(1.0) + a * series / V(n);
  V e = a * series;
  for (int k = 0; k < 8; ++k) e = e * (V(2.0) + e);
  return e;
}

/// The number without its first double.
inline DoubledOf<double> without_first(const DoubledOf<double>& x) {
  return DoubledOf<double>(x.lo);
}
inline TripledOf<double> without_first(const TripledOf<double>& x) {
  return TripledOf<double>(x.mid) + TripledOf<double>(x.lo);
}

/// x 2^k, part by part: a product would split its factors, and a large part would overflow.
inline DoubledOf<double> times_power_of_two(const DoubledOf<double>& x, int k) {
  return {std::ldexp(x.hi, k), std::ldexp(x.lo, k)};
}
inline TripledOf<double> times_power_of_two(const TripledOf<double>& x, int k) {
  return {std::ldexp(x.hi, k), std::ldexp(x.mid, k), std::ldexp(x.lo, k)};
}

template <WideNumber V>
V log(const V& x);

/// Halley's iteration on e^y - 1 = x, starting with the 50 bits of a double; each step triples
/// them. Towards -1 the difference of x and e^y - 1 would lose the digits of 1 + x, whose first
/// double is exact there; far out e^y would end before x does.
template <WideNumber V>
V log1p(const V& x) {
  if (x.hi < -0.5) return log(V(1 + x.hi) + without_first(x));
  if (x.hi > 1) return log(V(1.0) + x);
  V y(std::log1p(x.hi));
  for (int doubles = 1; doubles < kDoubles<V>; ++doubles) {
    const V e = expm1(y);
    y = y + V(2.0) * (x - e) / (V(2.0) + x + e);
  }
  return y;
}

/// log(x) = log1p(x - 1) near 1, where log vanishes. Beyond 2^500 and below 2^-500 a power of two
/// is split off, as exp ends at 690. Otherwise Halley's iteration on e^y = x.
template <WideNumber V>
V log(const V& x) {
  if (x.hi > 0.7 && x.hi < 1.4) return log1p(x - V(1.0));
  if (!(x.hi > 0) || !std::isfinite(x.hi)) return V(std::log(x.hi));
  const int exponent = std::ilogb(x.hi);
  if (std::abs(exponent) > 500) {
    return log(times_power_of_two(x, -exponent)) + V(exponent) * log(V(2.0));
  }
  V y(std::log(x.hi));
  for (int doubles = 1; doubles < kDoubles<V>; ++doubles) {
    const V e = exp(y);
    y = y + V(2.0) * (x - e) / (x + e);
  }
  return y;
}

/// tanh |x| = -t / (2 + t), t = e^(-2|x|) - 1.
template <WideNumber V>
V tanh(const V& x) {
  const bool negative = x.hi < 0;
  const V t = expm1(times_power_of_two(negative ? x : -x, 1));
  const V y = -t / (V(2.0) + t);
  return negative ? -y : y;
}

/// erf(x) = 2/sqrt(pi) e^(-x^2) (x + 2x^3/3 + 4x^5/15 + ...), whose terms have one sign. Beyond 12
/// the result is 1, as 1 - erf(12) < 2^-212.
template <WideNumber V>
V erf(const V& x) {
  if (std::isnan(x.hi)) return x;
  if (std::abs(x.hi) > 12) return V(x.hi > 0 ? 1.0 : -1.0);
  const V square = x * x;
  V term = x;
  V sum = x;
  for (int n = 1; std::abs(term.hi) > 0x1p-170 * std::abs(sum.hi); ++n) {
    term = term * (V(2.0) * square) / V(2 * n + 1);
    sum = sum + term;
  }
  return V(2.0) / sqrt(PiOf<V>::value()) * exp(-square) * sum;
}

/// sin(x + quarters pi/2): Taylor's series around the nearest multiple of pi/2. An argument far
/// from 0 loses as many digits as it has before the point.
template <WideNumber V>
V sine_of(const V& x, int quarters) {
  if (!std::isfinite(x.hi)) return V(std::numeric_limits<double>::quiet_NaN());
  const double k = std::nearbyint(x.hi * 0x1.45f306dc9c883p-1);
  const V r = x - V(k) * (PiOf<V>::value() * V(0.5));
  const int turn = (static_cast<int>(std::fmod(k, 4)) + quarters + 8) % 4;
  const V square = r * r;
  V term = turn % 2 == 0 ? r : V(1.0);
  V sum = term;
  for (int n = turn % 2 == 0 ? 2 : 1; std::abs(term.hi) > 0x1p-170 * std::abs(sum.hi); n += 2) {
    term = -(term * square) / V(n * (n + 1));
    sum = sum + term;
  }
  return turn < 2 ? sum : -sum;
}
template <WideNumber V>
V sin(const V& x) {
  return sine_of(x, 0);
}
template <WideNumber V>
V cos(const V& x) {
  return sine_of(x, 1);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
