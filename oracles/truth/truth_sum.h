// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "oracles/arithmetic/certified.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// A sum of truths of either tier, in the order in which they come.
class TruthSum {
 public:
  void add(const Ball& v) { add_certified({v.hi, v.lo, v.radius}); }
  void add(const Real& v) { exact_ = exact_ ? Real(*exact_ + v) : v; }
  void add(const TruthSum& other) {
    if (other.certified_) add_certified(*other.certified_);
    if (other.exact_) add(*other.exact_);
  }

  /// Whether 50 digits were needed for part of it.
  bool escalated() const { return exact_.has_value(); }

  /// The summands are decided. So is the sum: its radius is at most the sum of theirs and of
  /// 3 * 2^-106 of what is added, its bound at least the sum of theirs and of 2^-53 of that.
  Truth ruled(const StoredRounding& rounding, const Permitted& permitted) const {
    const Certified rest = certified_.value_or(Certified(0.0));
    if (!exact_) return rounding.of(Ball{rest.hi, rest.lo, rest.radius}, permitted);
    return rounding.of(Real(*exact_ + Real(rest.hi) + Real(rest.lo)), permitted, rest.radius);
  }

 private:
  void add_certified(const Certified& v) { certified_ = certified_ ? *certified_ + v : v; }

  std::optional<Certified> certified_;
  std::optional<Real> exact_;
};

}  // namespace gradproof
