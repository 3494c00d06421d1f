// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/jacobian_unit.h"

namespace gradproof {
namespace {

constexpr int kFirstStep =
    -22;  ///< log2 of the usually best step of order 6 in 50 digits, over the scale
constexpr int kStepApart = 4;
constexpr int kSmallestStep = -70;
constexpr int kLargestStep = -2;

/// D2 at h, 2h, 4h and 8h.
std::array<UnitOutputs, 4> second_order(JacobianUnit<Real>& unit, const UnitNumber& which,
                                        int log2_step) {
  std::array<UnitOutputs, 4> result;
  Real& number = unit.number(which);
  const Real before = number;
  for (int k = 0; k < 4; ++k) {
    const Real h = ldexp(Real(1), log2_step + k);
    number = before + h;
    const UnitOutputs above = unit.outputs();
    number = before - h;
    UnitOutputs& slope = result[static_cast<std::size_t>(k)];
    slope = unit.outputs();
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (above[i] - slope[i]) / (2 * h);
  }
  number = before;
  return result;
}

Real largest(const UnitOutputs& outputs) {
  Real most(0);
  for (const Real& output : outputs) most = std::max(most, Real(abs(output)));
  return most;
}

ColumnStep step_at(JacobianUnit<Real>& unit, const UnitNumber& which, int log2_step) {
  const UnitDifferences found = unit_differences(unit, which, log2_step);
  ColumnStep best;
  for (std::size_t order = 0; order < 3; ++order) {
    const Real error = largest(found.self_error[order]);
    if (order == 0 || error < best.error) best = {log2_step, order, error};
  }
  return best;
}

}  // namespace

UnitDifferences unit_differences(JacobianUnit<Real>& unit, const UnitNumber& which, int log2_step) {
  std::array<UnitOutputs, 4> slopes = second_order(unit, which, log2_step);
  UnitDifferences result;
  double weight = 4;
  for (std::size_t order = 0; order < 3; ++order) {
    result.value[order] = slopes[0];
    UnitOutputs& self_error = result.self_error[order];
    for (std::size_t i = 0; i < slopes[0].size(); ++i)
      self_error.push_back(abs(slopes[0][i] - slopes[1][i]));
    for (std::size_t k = 0; k + order + 1 < slopes.size(); ++k)
      for (std::size_t i = 0; i < slopes[k].size(); ++i)
        slopes[k][i] = (weight * slopes[k][i] - slopes[k + 1][i]) / (weight - 1);
    weight *= 4;
  }
  return result;
}

ColumnStep best_step(JacobianUnit<Real>& unit, const UnitNumber& which, int log2_scale) {
  ColumnStep best = step_at(unit, which, kFirstStep + log2_scale);
  for (const int way : {kStepApart, -kStepApart})
    for (int step = best.log2_step - log2_scale + way;
         step >= kSmallestStep && step <= kLargestStep; step += way) {
      const ColumnStep next = step_at(unit, which, step + log2_scale);
      if (!(next.error < best.error)) break;
      best = next;
    }
  return best;
}

UnitOutputs unit_duals(const Claim& claim, const CompiledPipeline& compiled, const Tensors& inputs,
                       std::int64_t index, const UnitNumber& which) {
  JacobianUnit<Dual<Real>> unit(claim, compiled, inputs, index);
  unit.number(which).d = Real(1);
  UnitOutputs result;
  for (const Dual<Real>& output : unit.outputs()) result.push_back(output.d);
  return result;
}

std::int64_t outputs_that_move(const Claim& claim, const Tensors& inputs, const Tensors& changed,
                               std::int64_t index) {
  const CompiledPipeline compiled(claim);
  const UnitOutputs before = JacobianUnit<Real>(claim, compiled, inputs, index).outputs();
  const UnitOutputs after = JacobianUnit<Real>(claim, compiled, changed, index).outputs();
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] && !(isnan(before[i]) && isnan(after[i]))) ++moved;
  return moved;
}

}  // namespace gradproof
