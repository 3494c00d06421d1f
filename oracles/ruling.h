// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "core/claim.h"
#include "core/comparison.h"
#include "oracles/ball.h"
#include "oracles/real.h"

namespace gradproof {

/// What a bound says about one number.
struct Permitted {
  double error = 0;       ///< |computed - exact| before the result is stored
  bool vacuous = false;   ///< the error is no bound at all
  bool overflow = false;  ///< the computation may have overflowed on the way
};

/// From a truth and a permitted error to what is right in one tensor: the class (NaN, Inf, finite),
/// the rounding to the stored type.
class Ruling {
 public:
  Ruling(const Claim& claim, const TensorSpec& spec);

  /// Of 50 digits, or of a sum of such and a ball whose radius is `beside`.
  Truth of(const Real& truth, const Permitted& permitted, double beside = 0) const;
  /// A ball of infinite radius gives an infinite radius.
  Truth of(const Ball& truth, const Permitted& permitted) const;

 private:
  Truth finite(const Ball& truth, const Permitted& permitted) const;

  DType storage_;
  double storage_unit_ = 0;  ///< of the extra rounding to the stored type; 0 where there is none
  double storage_underflow_ = 0;
  double overflow_ = 0;    ///< from here numbers round to infinity
  double truth_unit_ = 0;  ///< error of 50 digits, relative to the permitted error
  bool order_decides_class_ = false;
};

/// Whether the fast tier's truth is sharp enough: its radius far below the bound, or 0.
inline bool is_decided(double radius, double bound) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return radius == 0 || (radius < kInfinity && radius <= 0x1p-12 * bound);
}

}  // namespace gradproof
