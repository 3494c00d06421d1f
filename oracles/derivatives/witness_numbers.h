// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// Triple-double, about 47 digits. The witnesses compute in Quick or Rough first and repeat in Real
/// what does not agree there; only results in Real make a witness wrong or silent.
using Quick = TripledOf<double>;
/// Double-double, about 31 digits. Quick against Rough estimates the rounding.
using Rough = DoubledOf<double>;
/// 35 digits. Real against Coarse estimates the rounding of Real.
using Coarse = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<35, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

inline const Real& as_real(const Real& v) { return v; }
inline Real as_real(const Quick& v) { return Real(v.hi) + Real(v.mid) + Real(v.lo); }
inline Real as_real(const Rough& v) { return Real(v.hi) + Real(v.lo); }

/// The nearest double, or a neighbour of it.
inline double nearest(const Real& v) { return v.convert_to<double>(); }
inline double nearest(const Quick& v) { return v.hi; }
inline double nearest(const Rough& v) { return v.hi; }

inline double difference(const Quick& fine, const Rough& rough) {
  return (fine - Quick(rough.hi, rough.lo, 0)).hi;
}

/// log2 of the factor by which estimated roundings are enlarged, because the estimate from one
/// sample may be small by luck. Measured, not derived: of some 29,000 products of units of 1 to 16
/// rows, compared with 100 digits, none needed more than 2^8 in Real and 2^2 in Quick.
/// tests/derivatives/quick_witness_test.cpp checks it on 9,800 others.
inline constexpr int kLog2Luck = 20;

/// The estimated rounding error of Real: |Real - Coarse| times the ratio of their units and
/// 2^kLog2Luck.
inline Real rounding(const Real& coarse_error) {
  return coarse_error * ldexp(Real(1), std::numeric_limits<Coarse>::digits -
                                           std::numeric_limits<Real>::digits + kLog2Luck);
}

/// The largest ratio, over the operations, of the error bounds of two wide arithmetics.
constexpr double ratio_of(const WideErrors& fine, const WideErrors& rough) {
  const double most =
      std::max({fine.sum / rough.sum, fine.product / rough.product, fine.quotient / rough.quotient,
                fine.quotient_by_double / rough.quotient_by_double, fine.root / rough.root,
                fine.exponential / rough.exponential});
  return most * (fine.unit / rough.unit);
}

/// The estimated rounding error of Quick, from |Quick - Rough|.
inline double quick_rounding(double rough_error) {
  constexpr double kFactor = ratio_of(kTripledErrors, kDoubledErrors) * (1 << kLog2Luck);
  return rough_error * kFactor;
}

}  // namespace gradproof
