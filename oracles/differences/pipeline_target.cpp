// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/pipeline_target.h"

#include "oracles/differences/evaluate/statistics_pipeline.h"

namespace gradproof {

PipelineTarget::PipelineTarget(const Claim& claim, const Tensors& inputs)
    : claim_(claim), inputs_(inputs), compiled_(claim), geometry_(claim) {
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::gradient)
      tensors_.push_back({spec.name.substr(2), spec.layout.shape, Reach::all});
  for (std::size_t k = 0; k < tensors_.size(); ++k) tensors_[k].reach = reach_of(k);
}

Movable PipelineTarget::movable(std::size_t tensor) const {
  const std::string& name = tensors_[tensor].name;
  if (claim_.tensor(name).role == Role::input) return {true, 0};
  return {false, compiled_.number(name)};
}

bool PipelineTarget::shared(std::size_t tensor) const {
  const Movable movable = this->movable(tensor);
  return !movable.input && compiled_.numbers[movable.number].shared;
}

bool PipelineTarget::before_norm(std::size_t tensor) const {
  const Movable movable = this->movable(tensor);
  if (!has_unit_norm(compiled_)) return false;
  if (movable.input) return true;
  for (std::size_t k = 0; k < compiled_.lines.size(); ++k)
    for (const int number : compiled_.lines[k].numbers)
      if (number == static_cast<int>(movable.number))
        for (std::size_t later = k + 1; later < compiled_.lines.size(); ++later)
          if (later == compiled_.norm || compiled_.lines[later].later_norm) return true;
  return false;
}

bool PipelineTarget::bent_before_norm() const {
  for (std::size_t k = 0; k < compiled_.norm && k < compiled_.lines.size(); ++k)
    if (compiled_.lines[k].row->is_curved()) return true;
  return false;
}

Reach PipelineTarget::reach_of(std::size_t tensor) const {
  if (shared(tensor)) return Reach::all;
  const Reach unit = geometry_.is_grouped() ? Reach::group : Reach::column;
  if (movable(tensor).input) return before_norm(tensor) ? unit : Reach::itself;
  return before_norm(tensor) ? unit : Reach::column;
}

std::vector<std::int64_t> PipelineTarget::units_of(std::int64_t block) const {
  std::vector<std::int64_t> units;
  for (std::int64_t row = 0; row < geometry_.units_in_block(); ++row)
    units.push_back(geometry_.unit(block, row));
  return units;
}

bool PipelineTarget::in_one_unit(std::size_t tensor) const {
  return movable(tensor).input || (!shared(tensor) && !geometry_.is_grouped());
}

std::int64_t PipelineTarget::block_of(std::size_t tensor, std::int64_t entry) const {
  if (movable(tensor).input) return geometry_.block_of(geometry_.unit_of(entry));
  return shared(tensor) ? 0 : entry / claim_.block_width();
}

std::int64_t PipelineTarget::unit_of(std::size_t tensor, std::int64_t entry) const {
  if (movable(tensor).input) return geometry_.unit_of(entry);
  return geometry_.unit(block_of(tensor, entry), 0);
}

}  // namespace gradproof
