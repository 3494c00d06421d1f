// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/truth/ball.h"

namespace gradproof {

/// Irrational and decimal numbers that formulas have.
enum class Constant {
  sqrt_half,         ///< sqrt(1/2)
  normal_peak,       ///< 1/sqrt(2 pi), of the normal density
  sqrt_two_over_pi,  ///< sqrt(2/pi)
  two_over_root_pi,  ///< 2/sqrt(pi), the slope of erf at 0
  gelu_cubic         ///< the float64 number nearest to 0.044715
};

/// The constant within 2^-105.
const Ball& constant_ball(Constant name);

/// The constant in an arithmetic, by its pi.
template <class T>
T constant_in(Constant name, const T& pi) {
  switch (name) {
    case Constant::sqrt_half:
      return sqrt(T(0.5));
    case Constant::normal_peak:
      return T(1.0) / sqrt(T(T(2.0) * pi));
    case Constant::sqrt_two_over_pi:
      return sqrt(T(T(2.0) / pi));
    case Constant::two_over_root_pi:
      return T(2.0) / sqrt(pi);
    case Constant::gelu_cubic:
      return T(0.044715);
  }
  return T(0.0);
}

}  // namespace gradproof
