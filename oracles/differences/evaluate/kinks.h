// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/claim/claim.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real.h"
#include "oracles/differences/evaluate/arithmetic.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

/// What lies between x-h and x+h for an argument of a stage: a kink, or an edge of the domain.
enum class Met { nothing, kink, kink_at_x, domain, domain_at_x };

inline bool is_kink(Met met) { return met == Met::kink || met == Met::kink_at_x; }

/// From the pieces (oracles/pipeline/stage.h) in which the argument lies at x, x+h and x-h. An
/// argument that stays on its piece meets nothing, even on a kink.
Met met_by(int rest, int above, int below);

/// "kink: Abs (step 'v1') at element 3 of the unit, within 2^-20"; elements count from 0.
std::string kink_text(Met met, std::string_view stage, std::string_view step, std::size_t element,
                      double move);

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Where a unit is not smooth in one of its numbers, from the pieces that the stages report for
/// their arguments at x, x+h and x-h, in 50 digits. Free where all stages are smooth.
template <class Factory = StageFactory>
class Kinks {
 public:
  /// Claim and pipeline must outlive it.
  Kinks(const Claim& claim, const CompiledPipeline& compiled, const Factory& factory = {})
      : claim_(claim), runner_({compiled, plain_, unit_}, factory) {
    for (std::size_t k = 0; k < compiled.lines.size(); ++k)
      if (!runner_.unsmooth(k).empty()) steps_.push_back(k);
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

  /// PerturbedLoss::irregular of a number of the unit; h = |move|.
  std::string why_not(const Movable& tensor, std::int64_t place, double move) {
    if (steps_.empty()) return "";
    const Pieces above = moved(tensor, place, std::abs(move));
    const Pieces below = moved(tensor, place, -std::abs(move));
    std::string kink;
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (std::size_t i = 0; i < rest_[s].size(); ++i) {
        const Met met = met_by(rest_[s][i], above[s][i], below[s][i]);
        if (met == Met::nothing || (is_kink(met) && !kink.empty())) continue;
        const Step& step = claim_.pipeline.steps[steps_[s]];
        const std::string text = kink_text(met, runner_.unsmooth(steps_[s]), step.name, i, move);
        if (!is_kink(met)) return text;
        kink = text;
      }
    return kink;
  }

 private:
  using Pieces = std::vector<std::vector<int>>;

  Pieces pieces() {
    runner_.forward();
    Pieces result;
    for (const std::size_t k : steps_) result.push_back(runner_.pieces(k));
    return result;
  }

  Pieces moved(const Movable& tensor, std::int64_t place, double move) {
    Values<Real>& numbers = tensor.input ? unit_.x : unit_.numbers[tensor.number];
    Real& number = numbers[numbers.size() == 1 ? 0 : static_cast<std::size_t>(place)];
    const Real before = number;
    number += move;
    const Pieces result = pieces();
    number = before;
    return result;
  }

  const Claim& claim_;
  Plain<Real> plain_;
  Unit<Real> unit_;
  PipelineRunner<Plain<Real>> runner_;
  std::vector<std::size_t> steps_;
  Pieces rest_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
