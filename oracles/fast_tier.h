// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/ball.h"
#include "oracles/evaluate_unit.h"

namespace gradproof {

/// The truth of one unit after the other in double-double with certified radii. What it cannot
/// decide, an overflow or a NaN among it, has an infinite radius.
class FastTier {
 public:
  virtual ~FastTier() = default;
  virtual void take_numbers(const Unit<double>& unit) = 0;
  virtual Evaluation<Ball> evaluate(const Unit<double>& unit) = 0;
};

/// The claim must outlive it. The same text twice: for any CPU, and for one with AVX2 and FMA,
/// where a product's rounding error is one instruction. The results may differ within their radii.
std::unique_ptr<FastTier> fast_tier_baseline(const Claim& claim);
std::unique_ptr<FastTier> fast_tier_fma(const Claim& claim);

/// The one that this CPU can run.
std::unique_ptr<FastTier> fast_tier(const Claim& claim);

}  // namespace gradproof
