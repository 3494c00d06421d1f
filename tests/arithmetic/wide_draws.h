// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/tripled.h"
#include "tests/arithmetic/certified_draws.h"
#include "tests/arithmetic/wide_unit.h"

namespace gradproof::oracle_tests {

/// The number type of 100 digits with which the results of the operations are compared.
using Hundred = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<100, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

inline Hundred number(const Wide& w) { return Hundred(w.hi) + Hundred(w.mid) + Hundred(w.lo); }

/// One of the two number types in one compilation.
struct WideKind {
  WideUnit unit;
  bool triple = false;

  const WideErrors& errors() const { return triple ? kTripledErrors : kDoubledErrors; }
  void apply(WideOperation operation, const Wide* a, const Wide* b, std::int64_t count,
             Wide* packed, Wide* single) const {
    (triple ? unit.tripled : unit.doubled)(operation, a, b, count, packed, single);
  }
  /// The number without its lowest part.
  Wide shortened(Wide w) const {
    (triple ? w.lo : w.mid) = 0;
    return w;
  }
};

inline std::ostream& operator<<(std::ostream& out, const WideKind& kind) {
  return out << name_of(kind.unit.set) << (kind.triple ? " tripled" : " doubled");
}

/// The kinds that this CPU can run.
inline std::vector<WideKind> wide_kinds() {
  std::vector<WideKind> kinds;
  for (const auto& each : compilations_of([]<InstructionSet set>() { return &wide_unit_of<set>; }))
    for (const bool triple : {false, true})
      if (runs_here(each.set)) kinds.push_back({each.make(), triple});
  return kinds;
}

inline std::string kind_name(const testing::TestParamInfo<WideKind>& info) {
  return name_of(info.param.unit.set) + (info.param.triple ? "_tripled" : "_doubled");
}

/// A part below `above`: none, nearly half a last place of it, or anything smaller.
inline double drawn_part(Draw& draw, double above) {
  switch (draw.below(8)) {
    case 0:
      return 0;
    case 1:
      return above * sign(draw) * (0x1p-54 - 0x1p-107);
    case 2:
      return std::ldexp(above * sign(draw) * (1 + draw.uniform()),
                        -55 - static_cast<int>(draw.below(40)));
    default:
      return above * sign(draw) * std::ldexp(1 + draw.uniform(), -55);
  }
}

/// hi with parts below it that do not overlap.
inline Wide drawn_wide(Draw& draw, double hi, bool triple) {
  const DoubleDouble high = two_sum(hi, drawn_part(draw, hi));
  if (!triple) return {high.hi, high.lo, 0};
  const double above = high.lo == 0 ? high.hi * 0x1p-54 : high.lo;
  const DoubleDouble low = two_sum(high.lo, drawn_part(draw, above));
  const DoubleDouble again = two_sum(high.hi, low.hi);
  const DoubleDouble rest = two_sum(again.lo, low.lo);
  return {again.hi, rest.hi, rest.lo};
}

/// Draws a size with an exponent between -400 and 400: neither the parts of a product nor of a
/// quotient underflow.
inline double drawn_size(Draw& draw) {
  const int most = draw.below(2) ? 400 : 4;
  const int exponent = static_cast<int>(draw.below(2 * most + 1)) - most;
  const double significand = draw.below(8) ? 1 + draw.uniform() : 1;
  return std::ldexp(sign(draw) * significand, exponent);
}

/// The second operand; one in three nearly cancels the first, in one part or in all.
inline Wide drawn_partner(Draw& draw, const Wide& first, bool triple) {
  if (draw.below(3)) return drawn_wide(draw, drawn_size(draw), triple);
  const double hi = -first.hi * (1 + static_cast<double>(draw.below(3) - 1) * 0x1p-52);
  Wide second = drawn_wide(draw, hi, triple);
  if (draw.below(2)) {
    second = {-first.hi, -first.mid, second.lo};
    if (std::fabs(second.lo) > std::fabs(second.mid) * 0x1p-53) second.lo = 0;
  }
  return second;
}

/// An argument of exp and of what is made of it, where the tables reach.
inline Wide drawn_exponent(Draw& draw, bool triple) {
  double hi = draw.below(2) ? drawn_argument(draw) : 8 * draw.normal();
  if (!(std::fabs(hi) < kExpRange)) hi = kExpRange * (2 * draw.uniform() - 1);
  if (std::fabs(hi) < 0x1p-400) hi = 0;  // its parts would underflow
  return drawn_wide(draw, hi, triple);
}

}  // namespace gradproof::oracle_tests
