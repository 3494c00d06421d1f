// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/compare/comparison.h"
#include "oracles/arithmetic/real.h"
#include "oracles/truth/ball.h"
#include "oracles/truth/stored_rounding_text.h"

namespace gradproof {

/// From a truth and a permitted error to what is right in one tensor: the class (NaN, Inf, finite),
/// the rounding to the stored type.
class StoredRounding {
 public:
  StoredRounding(const Claim& claim, const TensorSpec& spec);

  /// Of 50 digits, or of a sum of such and a ball whose radius is `beside`.
  Truth of(const Real& truth, const Permitted& permitted, double beside = 0) const;
  /// A ball of infinite radius gives an infinite radius.
  Truth of(const Ball& truth, const Permitted& permitted) const;

  const StoredType& type() const { return type_; }

 private:
  StoredType type_;
  double truth_unit_ = 0;  ///< error of 50 digits, relative to the permitted error
  bool order_decides_class_ = false;
};

/// Whether a truth is sharp enough: its radius far below the bound, or 0.
inline bool is_decided(double radius, double bound) { return is_decided<double>(radius, bound); }

}  // namespace gradproof
