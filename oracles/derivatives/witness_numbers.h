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

/// The witnesses compute in doubles first; what does not plainly agree there is done again in Real,
/// and only Real's word makes a witness wrong or silent. About 47 digits.
using Quick = TripledOf<double>;
/// The same operations with fewer digits, about 31.
using Rough = DoubledOf<double>;
/// The same for Real.
using Coarse = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<35, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

inline const Real& as_real(const Real& v) { return v; }
inline Real as_real(const Quick& v) { return Real(v.hi) + Real(v.mid) + Real(v.lo); }
inline Real as_real(const Rough& v) { return Real(v.hi) + Real(v.lo); }

/// To the nearest double, or one beside it.
inline double nearest(const Real& v) { return v.convert_to<double>(); }
inline double nearest(const Quick& v) { return v.hi; }
inline double nearest(const Rough& v) { return v.hi; }

inline double difference(const Quick& fine, const Rough& rough) {
  return (fine - Quick(rough.hi, rough.lo, 0)).hi;
}

/// One sample of a rounding may be lucky; this stands for that. Measured, not derived: of some
/// 29,000 products of units of 1 to 16 rows, beside 100 digits, none needed more than 2^8 of it in
/// Real and 2^2 in Quick. tests/derivatives/quick_witness_test.cpp asks it of 9,800 others.
inline constexpr int kLog2Luck = 20;

/// The rounding of Real, from what Coarse makes of the same numbers: by the ratio of their units
/// smaller.
inline Real rounding(const Real& coarse_error) {
  return coarse_error * ldexp(Real(1), std::numeric_limits<Coarse>::digits -
                                           std::numeric_limits<Real>::digits + kLog2Luck);
}

/// The largest ratio of what an operation may err by in one wide arithmetic and in another.
constexpr double ratio_of(const WideErrors& fine, const WideErrors& rough) {
  const double most =
      std::max({fine.sum / rough.sum, fine.product / rough.product, fine.quotient / rough.quotient,
                fine.quotient_by_double / rough.quotient_by_double, fine.root / rough.root,
                fine.exponential / rough.exponential});
  return most * (fine.unit / rough.unit);
}

/// The rounding of Quick, from what Rough makes of the same numbers.
inline double quick_rounding(double rough_error) {
  constexpr double kFactor = ratio_of(kTripledErrors, kDoubledErrors) * (1 << kLog2Luck);
  return rough_error * kFactor;
}

}  // namespace gradproof
