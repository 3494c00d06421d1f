// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/block_numbers.h"

#include "core/error.h"

namespace gradproof {

PackedPlaces::PackedPlaces(const PlanValue& value, const PackedBlock& packed)
    : outer_(1), length_(1), packs_(1), inner_(static_cast<std::size_t>(value.count)), lanes_(1) {
  if (!value.sliced) return;
  lanes_ = static_cast<std::size_t>(packed.lanes);
  length_ = static_cast<std::size_t>(packed.block.length);
  packs_ = (length_ + lanes_ - 1) / lanes_;
  inner_ = static_cast<std::size_t>(value.inner);
  outer_ = static_cast<std::size_t>(value.count) / std::max<std::size_t>(packs_ * inner_, 1);
}

PackedNumbers::PackedNumbers(const GraphPlan& plan, const Tensors& inputs,
                             const PackedBlock& packed)
    : chosen_(chosen_places(plan, inputs)), length_(packed.block.length) {
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
    const GraphTensor& tensor = plan.graph->tensors[k];
    labels_.push_back(tensor.part == TensorPart::labels);
    tensors_.push_back(labels_.back() ? std::vector<double>()
                                      : read(plan.values[k], get(inputs, tensor.name), packed));
  }
  for (const int output : plan.outputs) {
    const PlanValue& value = plan.values[static_cast<std::size_t>(output)];
    cotangents_.push_back(read(value, get(inputs, cotangent_name(value.name)), packed));
  }
}

std::vector<double> PackedNumbers::read(const PlanValue& value, const Tensor& from,
                                        const PackedBlock& packed) const {
  const PackedPlaces places(value, packed);
  std::vector<double> plain;
  plain.reserve(places.count());
  each_run(value, packed.axis, packed.block,
           [&](std::int64_t, std::int64_t first, std::int64_t count) {
             for (std::int64_t i = 0; i < count; ++i) plain.push_back(from.at(first + i));
           });
  if (!value.sliced || packed.lanes == 1) return plain;
  std::vector<double> numbers(places.stored_count());
  places.each([&](std::size_t at, std::size_t stored) { numbers[stored] = plain[at]; });
  places.each_idle([&](std::size_t same, std::size_t idle) { numbers[idle] = numbers[same]; });
  return numbers;
}

BlockNumbers PackedNumbers::view() const {
  BlockNumbers view{{}, {}, chosen_, length_};
  for (std::size_t k = 0; k < tensors_.size(); ++k)
    view.tensors.push_back(labels_[k] ? nullptr : tensors_[k].data());
  for (const auto& numbers : cotangents_) view.cotangents.push_back(numbers.data());
  return view;
}

}  // namespace gradproof
