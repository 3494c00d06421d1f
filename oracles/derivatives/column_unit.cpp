// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/column_unit.h"

#include <array>

namespace gradproof {
namespace {

/// log2 of the usually best step of order 6 in 50 digits, over the scale.
constexpr int kFirstStep = -22;
constexpr int kStepApart = 4;
constexpr int kSmallestStep = -70;
constexpr int kLargestStep = -2;

using RealUnit = ReadUnit<Plain, Real>;

/// y and the side values of the current numbers.
template <class T>
Values<T> outputs(const PipelineTarget& target, ReadUnit<Plain, T>& unit) {
  Values<T> result = unit.runner().forward();
  for (std::size_t side = 0; side < target.compiled().sides.size(); ++side)
    result.push_back(unit.runner().side_value(side));
  return result;
}

/// For each output, odd[k] = y(+2^k h) - y(-2^k h) (tableau.h).
using Odd = std::vector<std::array<Real, kOrders + 1>>;

Odd moved(const PipelineTarget& target, RealUnit& unit, const ColumnNumber& number, int log2_step) {
  Real& moved = unit.numbers_of(number.tensor)[number.place];
  const Real before = moved;
  Odd result;
  for (int k = 0; k <= kOrders; ++k) {
    const Real h = ldexp(Real(1), log2_step + k);
    moved = before + h;
    const Values<Real> above = outputs(target, unit);
    moved = before - h;
    const Values<Real> below = outputs(target, unit);
    result.resize(above.size());
    for (std::size_t i = 0; i < above.size(); ++i)
      result[i][static_cast<std::size_t>(k)] = above[i] - below[i];
  }
  moved = before;
  return result;
}

/// |D(h) - D(2h)|.
Real self_error(const std::array<Real, kOrders + 1>& odd, int order_index, int log2_step) {
  return abs(central(odd.data(), order_index, log2_step) -
             central(odd.data() + 1, order_index, log2_step + 1));
}

ColumnStep step_at(const PipelineTarget& target, RealUnit& unit, const ColumnNumber& number,
                   int log2_step) {
  const Odd odd = moved(target, unit, number, log2_step);
  ColumnStep best;
  for (int order_index = 0; order_index < kOrders; ++order_index) {
    Real error(0);
    for (const auto& output : odd)
      error = std::max(error, self_error(output, order_index, log2_step));
    if (order_index == 0 || error < best.error) best = {log2_step, order_index, error};
  }
  return best;
}

/// d y[element] / d number by the adjoint; after forward.
Real adjoint(RealUnit& unit, std::size_t element, const ColumnNumber& number) {
  Values<Real>& dy = unit.unit().dy;
  std::fill(dy.begin(), dy.end(), Real(0));
  dy[element] = Real(1);
  unit.runner().backward();
  return unit.gradient(number.tensor)[number.place];
}

}  // namespace

ColumnNumber column_number(const PipelineTarget& target, std::size_t tensor, std::int64_t entry) {
  std::int64_t place = 0;
  if (target.movable(tensor).input)
    place = target.geometry().place_of(entry);
  else if (!target.shared(tensor))
    place = entry % target.geometry().columns();
  return {tensor, entry, static_cast<std::size_t>(place)};
}

ColumnStep best_step(const PipelineTarget& target, std::int64_t unit, const ColumnNumber& number,
                     int log2_scale) {
  RealUnit read(target, unit);
  ColumnStep best = step_at(target, read, number, kFirstStep + log2_scale);
  for (const int way : {kStepApart, -kStepApart})
    for (int step = best.log2_step - log2_scale + way;
         step >= kSmallestStep && step <= kLargestStep; step += way) {
      const ColumnStep next = step_at(target, read, number, step + log2_scale);
      if (!(next.error < best.error)) break;
      best = next;
    }
  return best;
}

ColumnPart column_part(const PipelineTarget& target, std::int64_t unit, const ColumnNumber& number,
                       const ColumnStep& step, std::int64_t apart) {
  RealUnit read(target, unit);
  ColumnPart part;
  for (const auto& odd : moved(target, read, number, step.log2_step)) {
    part.difference.push_back(central(odd.data(), step.order_index, step.log2_step));
    part.self_error.push_back(self_error(odd, step.order_index, step.log2_step));
  }
  ReadUnit<Plain, Dual<Real>> dual(target, unit);
  dual.numbers_of(number.tensor)[number.place].d = Real(1);
  for (const Dual<Real>& output : outputs(target, dual)) part.dual.push_back(output.d);
  part.rest = outputs(target, read);
  part.adjoint.resize(read.unit().x.size());
  for (std::size_t at = 0; at < part.adjoint.size(); ++at)
    if (static_cast<std::int64_t>(at) % apart == 0 || at == number.place)
      part.adjoint[at] = adjoint(read, at, number);
  return part;
}

std::int64_t outputs_that_move(const PipelineTarget& target, const Tensors& changed,
                               std::int64_t unit) {
  const PipelineTarget other(target.claim(), changed);
  RealUnit read(target, unit);
  RealUnit read_other(other, unit);
  const Values<Real> before = outputs(target, read);
  const Values<Real> after = outputs(other, read_other);
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] && !(isnan(before[i]) && isnan(after[i]))) ++moved;
  return moved;
}

}  // namespace gradproof
