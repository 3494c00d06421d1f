// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __FAST_MATH__
#error "the oracles need IEEE arithmetic as written: build without -ffast-math"
#endif

#include <boost/multiprecision/mpfr.hpp>

namespace gradproof {

/// 50 decimal digits (168 bits) by MPFR, every operation correctly rounded, no heap. NaN and
/// infinities follow IEEE 754; the exponent range is so wide that nothing over- or underflows.
using Real = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<50, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;

/// Relative error of one operation in Real, rounded up to a safe 2^-166.
inline constexpr double kRealUnit = 0x1p-166;

/// Correctly rounded numbers of any length: as Real, or longer where values cancel more digits than
/// Real holds.
template <unsigned Digits>
using Exact = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<Digits, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;
using Digits400 = Exact<400>;
using Digits1000 = Exact<1000>;  ///< bounds the rounding of Digits400

}  // namespace gradproof
