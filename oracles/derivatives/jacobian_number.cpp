// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/jacobian_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace gradproof {
namespace {

std::size_t position(const PipelineTarget& target, const std::string& name) {
  std::vector<std::string> known;
  for (const AuditedTensor& tensor : target.tensors()) {
    if (tensor.name == name || "d_" + tensor.name == name) return known.size();
    known.push_back(tensor.name);
  }
  throw UsageError(fmt::format("unknown tensor '{}'; known: {}", name, fmt::join(known, " ")));
}

std::int64_t linear(const AuditedTensor& tensor, const std::vector<std::int64_t>& index) {
  const Shape& shape = tensor.shape;
  if (index.empty() && numel(shape) == 1) return 0;
  bool there = index.size() == shape.size();
  std::int64_t result = 0;
  for (std::size_t k = 0; there && k < shape.size(); ++k) {
    there = index[k] >= 0 && index[k] < shape[k];
    result = result * shape[k] + index[k];
  }
  if (there) return result;
  throw UsageError(fmt::format("bad value '{}[{}]' for key 'element'; {} has shape ({})",
                               tensor.name, fmt::join(index, ","), tensor.name,
                               fmt::join(shape, ", ")));
}

}  // namespace

JacobianNumber::JacobianNumber(const PipelineTarget& target, const std::string& tensor,
                               const std::vector<std::int64_t>& index)
    : target_(target),
      tensor_(position(target, tensor)),
      entry_(linear(target.tensors()[tensor_], index)) {}

std::vector<std::int64_t> JacobianNumber::units() const {
  if (target_.in_one_unit(tensor_)) return {target_.unit_of(tensor_, entry_)};
  if (!target_.shared(tensor_)) return target_.units_of(target_.block_of(tensor_, entry_));
  std::vector<std::int64_t> all;
  for (std::int64_t unit = 0; unit < target_.geometry().units(); ++unit) all.push_back(unit);
  return all;
}

UnitNumber JacobianNumber::number() const {
  const Geometry& geometry = target_.geometry();
  const Movable movable = target_.movable(tensor_);
  std::int64_t place = 0;
  if (movable.input)
    place = geometry.place_of(entry_);
  else if (!target_.shared(tensor_))
    place = entry_ % geometry.columns();
  return {movable, static_cast<std::size_t>(place)};
}

bool JacobianNumber::affects(std::int64_t place) const {
  const bool by_element = target_.movable(tensor_).input ||
                          (target_.geometry().is_grouped() && !target_.shared(tensor_));
  return !by_element || before_norm() || place == static_cast<std::int64_t>(number().place);
}

}  // namespace gradproof
