// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "oracles/derivatives/read_unit.h"
#include "oracles/differences/steps/tableau.h"

namespace gradproof {

/// Central differences of order 2(order_index + 1) at h = 2^log2_step.
struct ColumnStep {
  int log2_step = 0;
  int order_index = kOrders - 1;
  Real error;  ///< max |D(h) - D(2h)| over the outputs
};

/// The derivative of one output of a unit by one number, computed in three ways.
struct OutputDerivative {
  Real rest;  ///< the output itself
  Real difference;
  Real self_error;  ///< |D(h) - D(2h)|
  Real dual;
  std::optional<Real> adjoint;  ///< of y, where it was computed
};

/// One unit and one number of it, by tensor and place. The outputs are y, element by element, then
/// the side values by CompiledPipeline::sides.
class ColumnUnit {
 public:
  ColumnUnit(const PipelineTarget& target, std::int64_t unit, std::size_t tensor, std::size_t place)
      : target_(target), index_(unit), tensor_(tensor), place_(place), unit_(target, unit) {}

  /// The step and the order with the smallest max |D(h) - D(2h)|, searched downhill from the step
  /// that usually is best in 50 digits. 2^log2_scale is the width on which the outputs change.
  ColumnStep best_step(int log2_scale) {
    ColumnStep best = step_at(kFirstStep + log2_scale);
    for (const int way : {kStepApart, -kStepApart})
      for (int step = best.log2_step - log2_scale + way;
           step >= kSmallestStep && step <= kLargestStep; step += way) {
        const ColumnStep next = step_at(step + log2_scale);
        if (!(next.error < best.error)) break;
        best = next;
      }
    return best;
  }

  /// By output. The adjoint is computed of every element whose place is a multiple of `apart`, and
  /// of the number's own.
  std::vector<OutputDerivative> derivatives(const ColumnStep& step, std::size_t apart) {
    ReadUnit<Plain, Dual<Real>> dual(target_, index_);
    dual.numbers_of(tensor_)[place_].d = Real(1);
    const Values<Dual<Real>> duals = dual.outputs();
    const Odd odd = moved(step.log2_step);
    const Values<Real> rest = unit_.outputs();
    Values<Real>& dy = unit_.dy();
    std::fill(dy.begin(), dy.end(), Real(0));
    std::vector<OutputDerivative> result;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const Real fine = central(odd[i].data(), step.order_index, step.log2_step);
      result.push_back({rest[i], fine, self_error(odd[i], step), duals[i].d, std::nullopt});
      if (i >= dy.size() || (i % apart != 0 && i != place_)) continue;
      dy[i] = Real(1);
      result[i].adjoint = unit_.adjoint()[tensor_][place_];
      dy[i] = Real(0);
    }
    return result;
  }

 private:
  /// log2 of the usually best step of order 6 in 50 digits, over the scale.
  static constexpr int kFirstStep = -22;
  static constexpr int kStepApart = 4;
  static constexpr int kSmallestStep = -70;
  static constexpr int kLargestStep = -2;

  /// For each output, odd[k] = output(+2^k h) - output(-2^k h) (tableau.h).
  using Odd = std::vector<std::array<Real, kOrders + 1>>;

  Odd moved(int log2_step) {
    Real& number = unit_.numbers_of(tensor_)[place_];
    const Real before = number;
    Odd odd;
    for (std::size_t k = 0; k <= kOrders; ++k) {
      const Real h = ldexp(Real(1), log2_step + static_cast<int>(k));
      number = before + h;
      const Values<Real> above = unit_.outputs();
      number = before - h;
      const Values<Real> below = unit_.outputs();
      odd.resize(above.size());
      for (std::size_t i = 0; i < odd.size(); ++i) odd[i][k] = above[i] - below[i];
    }
    number = before;
    return odd;
  }

  static Real self_error(const Odd::value_type& odd, const ColumnStep& step) {
    return abs(central(odd.data(), step.order_index, step.log2_step) -
               central(odd.data() + 1, step.order_index, step.log2_step + 1));
  }

  ColumnStep step_at(int log2_step) {
    const Odd odd = moved(log2_step);
    ColumnStep best;
    for (int order_index = 0; order_index < kOrders; ++order_index) {
      ColumnStep step{log2_step, order_index, Real(0)};
      for (const auto& output : odd) step.error = std::max(step.error, self_error(output, step));
      if (order_index == 0 || step.error < best.error) best = step;
    }
    return best;
  }

  const PipelineTarget& target_;
  std::int64_t index_;
  std::size_t tensor_;
  std::size_t place_;
  ReadUnit<Plain, Real> unit_;
};

/// How many outputs of the unit differ where the inputs are others.
inline std::int64_t outputs_that_move(const PipelineTarget& target, const Tensors& changed,
                                      std::int64_t unit) {
  const PipelineTarget other(target.claim(), changed);
  const Values<Real> before = ReadUnit<Plain, Real>(target, unit).outputs();
  const Values<Real> after = ReadUnit<Plain, Real>(other, unit).outputs();
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] && !(isnan(before[i]) && isnan(after[i]))) ++moved;
  return moved;
}

}  // namespace gradproof
