// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/real.h"

namespace gradproof {

/// Correctly rounded numbers of any length: as Real, or longer where values cancel more digits than
/// Real holds.
template <unsigned Digits>
using Exact = boost::multiprecision::number<
    boost::multiprecision::mpfr_float_backend<Digits, boost::multiprecision::allocate_stack>,
    boost::multiprecision::et_off>;
using Digits400 = Exact<400>;
using Digits1000 = Exact<1000>;  ///< bounds the rounding of Digits400

}  // namespace gradproof
