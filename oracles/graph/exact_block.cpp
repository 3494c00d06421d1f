// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/exact_block.h"

namespace gradproof {
namespace {

/// Empty without numbers.
Field<Real> field_in_block(const PlanValue& value, const PackedBlock& packed,
                           const ExactNumbers* all, const double* given) {
  Field<Real> field;
  const bool is_kept = all != nullptr && all->contains(value.name);
  if (!is_kept) return given == nullptr ? field : field_of<Real>(value, given);
  const std::vector<Real>& whole = all->at(value.name);
  each_run(value, packed.axis, packed.block,
           [&](std::int64_t, std::int64_t first, std::int64_t count) {
             const auto begin = whole.begin() + first;
             field.v.insert(field.v.end(), begin, begin + count);
           });
  return field;
}

}  // namespace

ExactBlock::ExactBlock(const GraphPlan& plan, const ExactInputs& inputs, const PackedBlock& packed)
    : numbers_(plan, inputs.exact, packed),
      view_(numbers_.view()),
      runner_(plan, arithmetic_, view_.chosen, packed.block.length) {
  const auto gradient_of = [&](const PlanValue& value, const double* given) {
    return field_in_block(value, packed, inputs.gradients, given);
  };
  for (std::size_t k = 0; k < view_.tensors.size(); ++k)
    runner_.tensor(k) = field_in_block(plan.values[k], packed, inputs.values, view_.tensors[k]);
  runner_.forward();
  for (std::size_t k = 0; k < plan.statistics.size(); ++k)
    statistics_.push_back(runner_.statistic(k));
  if (!view_.given.empty()) {
    for (const int output : plan.outputs) outputs_[output] = runner_.value(output);
    std::vector<Field<Real>> given;
    for (std::size_t k = 0; k < view_.given.size(); ++k)
      given.push_back(field_of<Real>(plan.statistics[k].value, view_.given[k]));
    runner_.take_given(given);
  }
  std::vector<Field<Real>> cotangents;
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    cotangents.push_back(
        gradient_of(plan.values[static_cast<std::size_t>(plan.outputs[k])], view_.cotangents[k]));
  std::vector<Field<Real>> gradients(view_.tensors.size());
  for (std::size_t k = 0; k < gradients.size(); ++k)
    if (plan.values[k].sliced) gradients[k] = gradient_of(plan.values[k], nullptr);
  runner_.start_backward(std::move(cotangents), std::move(gradients));
  runner_.finish_backward(inputs.exact.alone);
}

}  // namespace gradproof
