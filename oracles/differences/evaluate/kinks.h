// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <vector>

#include "core/claim/claim.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/unit_slice.h"
#include "oracles/differences/target.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Finds the numbers in which a unit is not smooth by the pieces (oracles/pipeline/stage.h) that
/// the stages report for their arguments at x, x+h and x-h, in 400 digits. If all stages are
/// smooth, nothing is computed.
template <class Factory = StageFactory>
class Kinks {
 public:
  /// The pipeline must outlive this object.
  explicit Kinks(const CompiledPipeline& compiled, const Factory& factory = {})
      : runner_({compiled, plain_, unit_}, factory) {
    for (std::size_t k = 0; k < compiled.lines.size(); ++k)
      if (!runner_.is_smooth(k)) steps_.push_back(k);
  }
  Kinks(const Kinks&) = delete;
  Kinks& operator=(const Kinks&) = delete;

  void take_unit(const Unit<double>& unit) {
    if (steps_.empty()) return;
    unit_.x.assign(unit.x.begin(), unit.x.end());
    unit_.numbers.clear();
    for (const Values<double>& numbers : unit.numbers)
      unit_.numbers.emplace_back(numbers.begin(), numbers.end());
    unit_.batches = unit.batches;
    plain_.take_count(static_cast<std::int64_t>(unit.x.size()));
    rest_ = pieces();
  }

  /// PerturbedLoss::irregular of a number of the unit; h = |move|. An argument that stays on its
  /// piece counts as regular, even on a kink.
  Irregularity within(const Movable& tensor, std::int64_t place, double move) {
    if (steps_.empty()) return Irregularity::none;
    const std::vector<int> above = moved(tensor, place, std::abs(move));
    const std::vector<int> below = moved(tensor, place, -std::abs(move));
    Irregularity met = Irregularity::none;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      for (const int piece : {rest_[i], above[i], below[i]})
        if (piece == kOutsideDomain) return Irregularity::domain;
      if (rest_[i] != above[i] || rest_[i] != below[i]) met = Irregularity::kink;
    }
    return met;
  }

 private:
  /// The pieces of the arguments of all steps, one step after the other.
  std::vector<int> pieces() {
    runner_.forward();
    std::vector<int> result;
    for (const std::size_t k : steps_)
      for (const int piece : runner_.pieces(k)) result.push_back(piece);
    return result;
  }

  std::vector<int> moved(const Movable& tensor, std::int64_t place, double move) {
    Values<Digits400>& numbers = numbers_of(unit_, tensor);
    Digits400& number = numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(place)];
    const Digits400 before = number;
    number += move;
    const std::vector<int> result = pieces();
    number = before;
    return result;
  }

  Plain<Digits400> plain_;
  Unit<Digits400> unit_;
  PipelineRunner<Plain<Digits400>> runner_;
  std::vector<std::size_t> steps_;
  std::vector<int> rest_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
