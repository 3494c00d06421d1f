// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/truth/ball.h"

namespace gradproof {

/// Irrational and decimal numbers that formulas have.
enum class Constant {
  sqrt_half,         ///< sqrt(1/2)
  normal_peak,       ///< 1/sqrt(2 pi), of the normal density
  sqrt_two_over_pi,  ///< sqrt(2/pi)
  gelu_cubic         ///< the float64 number nearest to 0.044715
};

/// The constant within 2^-105.
const Ball& constant_ball(Constant name);

}  // namespace gradproof
