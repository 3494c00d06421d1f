// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/blocks/block_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace gradproof {

namespace {

/// The numbers of a value that lie in a block, from all its numbers; nothing where it has none.
std::optional<BlockAnswers> kept_in_block(const PlanValue& value, const PackedBlock& packed,
                                          const SegmentNumbers* all) {
  const BlockAnswers* const whole = all == nullptr ? nullptr : numbers_of(*all, value.name);
  if (whole == nullptr) return {};
  const PackedPlaces places(value, packed);
  BlockAnswers stored;
  stored.resize(places.stored_count());
  stored.count_terms(whole->terms);
  each_run(value, packed.block, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      copy_number(stored, places.stored(static_cast<std::size_t>(local + i)), *whole,
                  static_cast<std::size_t>(first + i));
  });
  places.each_idle(
      [&](std::size_t same, std::size_t idle) { copy_number(stored, idle, stored, same); });
  return stored;
}

std::vector<const BlockAnswers*> pointers(const std::vector<std::optional<BlockAnswers>>& all) {
  std::vector<const BlockAnswers*> each;
  for (const auto& one : all) each.push_back(one ? &*one : nullptr);
  return each;
}

/// The block's numbers of a whole tensor, in packs.
std::vector<double> read(const PlanValue& value, const Tensor& from, const PackedBlock& packed) {
  std::vector<double> numbers;
  PackedPlaces(value, packed).read(from, numbers);
  return numbers;
}

bool is_inexact(const GraphInputs& inputs, const std::string& name) {
  return inputs.inexact != nullptr && inputs.inexact->contains(name);
}

const double* data_of(const std::vector<double>& numbers) {
  return numbers.empty() ? nullptr : numbers.data();
}

}  // namespace

PackedNumbers::PackedNumbers(const GraphPlan& plan, const GraphInputs& inputs,
                             const PackedBlock& packed)
    : chosen_(chosen_numbers(plan, inputs.tensors)),
      length_(packed.block.length),
      alone_(inputs.alone) {
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
    const GraphTensor& tensor = plan.graph->tensors[k];
    const PlanValue& value = plan.values[k];
    const bool is_exact = tensor.part != TensorPart::labels && tensor.part != TensorPart::value &&
                          !is_inexact(inputs, tensor.name);
    tensors_.push_back(is_exact ? read(value, get(inputs.tensors, tensor.name), packed)
                                : std::vector<double>());
    kept_tensors_.push_back(is_inexact(inputs, tensor.name)
                                ? inexact_in_block(value, tensor.name, inputs, packed)
                                : kept_in_block(value, packed, inputs.values));
    gradients_.push_back(value.sliced ? kept_in_block(value, packed, inputs.gradients)
                                      : std::optional<BlockAnswers>());
  }
  for (const int output : plan.outputs) {
    const PlanValue& value = plan.values[static_cast<std::size_t>(output)];
    const std::string name = cotangent_name(value.name);
    kept_cotangents_.push_back(is_inexact(inputs, name)
                                   ? inexact_in_block(value, name, inputs, packed)
                                   : kept_in_block(value, packed, inputs.gradients));
    const bool is_given =
        inputs.backward && !kept_cotangents_.back() && inputs.tensors.contains(name);
    cotangents_.push_back(is_given ? read(value, get(inputs.tensors, name), packed)
                                   : std::vector<double>());
  }
  if (inputs.statistics != nullptr && inputs.backward)
    for (const PlanStatistic& s : plan.statistics)
      given_.push_back(read(s.value, get(*inputs.statistics, s.value.name), packed));
  forward_ = inputs.forward || given_.empty();
}

BlockAnswers PackedNumbers::inexact_in_block(const PlanValue& value, const std::string& name,
                                             const GraphInputs& inputs,
                                             const PackedBlock& packed) const {
  const Inexact& by = inputs.inexact->at(name);
  BlockAnswers numbers;
  std::vector<double> exact = read(value, get(inputs.tensors, name), packed);
  numbers.resize(exact.size());
  numbers.hi = numbers.estimate = std::move(exact);
  if (by.radius.numel() > 0) numbers.radius = read(value, by.radius, packed);
  if (by.error.numel() > 0) numbers.error = read(value, by.error, packed);
  for (std::size_t i = 0; i < numbers.hi.size(); ++i)
    if (!std::isfinite(numbers.hi[i])) numbers.radius[i] = std::numeric_limits<double>::infinity();
  return numbers;
}

void PackedNumbers::leave_out(const GraphPlan& plan, const PackedBlock& packed,
                              const std::vector<bool>& numbers, std::size_t other) {
  const auto replace = [&](const PlanValue& value, std::vector<double>& all, bool by_zero) {
    if (!value.sliced || all.empty()) return;
    const PackedPlaces places(value, packed);
    std::vector<std::size_t> from;
    places.each_of(other, [&](std::size_t stored) { from.push_back(stored); });
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!numbers[k]) continue;
      std::size_t next = 0;
      places.each_of(k, [&](std::size_t stored) {
        const double same = all[from[next++]];
        all[stored] = by_zero ? 0 : same;
      });
    }
    places.each_idle([&](std::size_t same, std::size_t idle) { all[idle] = all[same]; });
  };
  for (std::size_t k = 0; k < tensors_.size(); ++k) replace(plan.values[k], tensors_[k], false);
  for (std::size_t k = 0; k < given_.size(); ++k)
    replace(plan.statistics[k].value, given_[k], false);
  for (std::size_t k = 0; k < cotangents_.size(); ++k)
    replace(plan.values[static_cast<std::size_t>(plan.outputs[k])], cotangents_[k], true);
}

BlockNumbers PackedNumbers::view() const {
  BlockNumbers view{{}, {}, chosen_, length_};
  for (const auto& numbers : tensors_) view.tensors.push_back(data_of(numbers));
  for (const auto& numbers : cotangents_) view.cotangents.push_back(data_of(numbers));
  view.kept_tensors = pointers(kept_tensors_);
  view.kept_cotangents = pointers(kept_cotangents_);
  view.gradients = pointers(gradients_);
  view.alone = alone_;
  view.forward = forward_;
  for (const auto& numbers : given_) view.given.push_back(data_of(numbers));
  return view;
}

}  // namespace gradproof
