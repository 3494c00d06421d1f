// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <memory>

#include "oracles/arithmetic/certified.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// The sum of truths of both tiers (double-double and 50 digits), added in the order of the calls.
class TruthSum {
 public:
  void add(const Ball& v) { add_certified({v.hi, v.lo, v.radius}); }
  void add(const Real& v) { exact_ = std::make_shared<const Real>(exact_ ? Real(*exact_ + v) : v); }
  void add(const TruthSum& other) {
    add_certified(other.certified_);
    if (other.exact_) add(*other.exact_);
  }

  /// True if a summand was left to 50 digits, or is NaN by its class.
  bool escalated() const { return exact_ != nullptr; }

  /// True if the summands of 50 digits have a finite sum.
  bool is_finite() const { return !exact_ || isfinite(*exact_); }

  /// The truth of the sum as it is stored. If all summands are decided, so is the sum. Its radius
  /// is at most the sum of their radii plus 3 * 2^-106 times the sum of their sizes; its bound is
  /// at least the sum of their bounds plus 2^-53 times the sum of their sizes.
  Truth stored_truth(const StoredRounding& rounding, const Permitted& permitted) const {
    const Certified& rest = certified_;
    if (!exact_) return rounding.of(Ball{rest.hi, rest.lo, rest.radius}, permitted);
    return rounding.of(Real(*exact_ + Real(rest.hi) + Real(rest.lo)), permitted, rest.radius);
  }

  /// The truth of the sum before it is stored, as a ball.
  Ball ball(const StoredRounding& rounding, const Permitted& permitted) const {
    const Certified& rest = certified_;
    if (!exact_) return {rest.hi, rest.lo, rest.radius};
    return rounding.ball_of(Real(*exact_ + Real(rest.hi) + Real(rest.lo)), permitted, rest.radius);
  }

 private:
  /// Adds a ball. Sums beyond double go on in 50 digits, whose exponents have a larger range.
  void add_certified(const Certified& v) {
    const Certified sum = added_to_sum(certified_, v);
    if (std::isfinite(sum.hi)) {
      certified_ = sum;
      return;
    }
    const Certified all = certified_;
    for (const Certified& part : {all, v}) {
      add(Real(part.hi));
      if (std::isfinite(part.hi)) add(Real(part.lo));
    }
    certified_ = Certified(0, 0, all.radius + v.radius);
  }

  Certified certified_{0.0};
  /// Few sums have this part: a wide row has a million sums without it.
  std::shared_ptr<const Real> exact_;
};

}  // namespace gradproof
