// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/fast_tier.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The text of both compilations of the fast tier; everything in it is named by Certified, which
/// GRADPROOF_ARITHMETIC_UNIT tells apart.
class CertifiedTier final : public FastTier {
 public:
  explicit CertifiedTier(const Claim& claim) : evaluator_(claim, Plain<Certified>()) {}

  void take_numbers(const Unit<double>& unit) override { evaluator_.take_numbers(unit); }

  Evaluation<Ball> evaluate(const Unit<double>& unit) override {
    const Evaluation<Certified> from = evaluator_(unit);
    Evaluation<Ball> result;
    result.y = balls(from.y);
    for (const auto& [name, value] : from.side_values)
      result.side_values.emplace(name, ball(value));
    result.gradients.input = balls(from.gradients.input);
    for (const auto& [name, values] : from.gradients.parameters)
      result.gradients.parameters.emplace(name, balls(values));
    return result;
  }

 private:
  static Ball ball(const Certified& v) { return {v.hi, v.lo, v.radius}; }

  static Values<Ball> balls(const Values<Certified>& from) {
    Values<Ball> result(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) result[i] = ball(from[i]);
    return result;
  }

  UnitEvaluator<Plain<Certified>> evaluator_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
