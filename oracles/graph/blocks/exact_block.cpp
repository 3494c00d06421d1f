// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/blocks/exact_block.h"

namespace gradproof {
namespace {

/// The field of a block's numbers; empty without numbers.
template <class T>
Field<T> field_in_block(const PlanValue& value, const PackedBlock& packed, const ExactNumbers* all,
                        const double* given) {
  Field<T> field;
  const bool is_kept = all != nullptr && all->contains(value.name);
  if (!is_kept) return given == nullptr ? field : field_of<T>(value, given);
  const std::vector<Real>& whole = all->at(value.name);
  each_run(value, packed.block, [&](std::int64_t, std::int64_t first, std::int64_t count) {
    if constexpr (std::is_same_v<T, Real>) {
      const auto begin = whole.begin() + first;
      field.v.insert(field.v.end(), begin, begin + count);
    }
  });
  return field;
}

}  // namespace

template <class Functions>
PlainBlock<Functions>::PlainBlock(const GraphPlan& plan, const ExactInputs& inputs,
                                  const PackedBlock& packed)
    : numbers_(plan, inputs.exact, packed),
      view_(numbers_.view()),
      runner_(plan, arithmetic_, view_.chosen, packed.block.length) {
  const auto gradient_of = [&](const PlanValue& value, const double* given) {
    return field_in_block<T>(value, packed, inputs.gradients, given);
  };
  for (std::size_t k = 0; k < view_.tensors.size(); ++k)
    runner_.tensor(k) = field_in_block<T>(plan.values[k], packed, inputs.values, view_.tensors[k]);
  if (view_.forward) {
    runner_.forward();
    for (std::size_t k = 0; k < plan.statistics.size(); ++k)
      statistics_.push_back(runner_.statistic(k));
  }
  if (!view_.given.empty()) {
    for (const int output : plan.outputs)
      if (view_.forward && runner_.is_given_again(output))
        outputs_[output] = runner_.move_out(output);
    std::vector<Field<T>> given;
    for (std::size_t k = 0; k < view_.given.size(); ++k)
      given.push_back(field_of<T>(plan.statistics[k].value, view_.given[k]));
    runner_.use_statistics(given, !view_.forward);
  }
  std::vector<Field<T>> cotangents;
  for (std::size_t k = 0; k < plan.outputs.size(); ++k)
    cotangents.push_back(
        gradient_of(plan.values[static_cast<std::size_t>(plan.outputs[k])], view_.cotangents[k]));
  std::vector<Field<T>> gradients(view_.tensors.size());
  for (std::size_t k = 0; k < gradients.size(); ++k)
    if (plan.values[k].sliced) gradients[k] = gradient_of(plan.values[k], nullptr);
  runner_.start_backward(std::move(cotangents), std::move(gradients));
  runner_.finish_backward(inputs.exact.alone);
}

template class PlainBlock<PlainFunctions<Real>>;
template class PlainBlock<ClassFunctions>;

}  // namespace gradproof
