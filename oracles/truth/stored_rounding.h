// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/compare/comparison.h"
#include "oracles/arithmetic/real.h"
#include "oracles/truth/ball.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {

/// Turns an exact value and a permitted error into the Truth of one tensor's element: its class
/// (NaN, Inf, finite), and a bound that covers the rounding to the stored type.
class StoredRounding {
 public:
  StoredRounding(const Claim& claim, const TensorSpec& spec);
  /// The rounding of a computation in `accumulation` whose longest chain of operations is `chain`.
  /// With `order_decides_class` the order of sums decides which infinity or NaN an infinite number
  /// gives.
  StoredRounding(const StoredType& type, double chain, DType accumulation,
                 bool order_decides_class = false);

  /// The truth of a value of 50 digits; `beside` is the radius of a ball that was added to it.
  Truth of(const Real& truth, const Permitted& permitted, double beside = 0) const;
  /// The truth of a ball. An infinite radius stays infinite.
  Truth of(const Ball& truth, const Permitted& permitted) const;

  /// A finite value of 50 digits as a ball, before it is stored. The radius is infinite if a double
  /// does not hold the value, or if its error is not known.
  Ball ball_of(const Real& truth, const Permitted& permitted, double beside = 0) const;

  const StoredType& type() const { return type_; }

 private:
  StoredType type_;
  double truth_unit_ = 0;  ///< error of 50 digits, relative to the permitted error
  bool order_decides_class_ = false;
};

/// True if a truth is sharp enough: its radius is far below the bound, or 0.
inline bool is_decided(double radius, double bound) { return is_decided<double>(radius, bound); }

}  // namespace gradproof
