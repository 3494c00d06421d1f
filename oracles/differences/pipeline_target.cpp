// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/pipeline_target.h"

#include <cmath>

#include "oracles/differences/evaluate/claim_losses.h"

namespace gradproof {

double Losses::magnitude_of(std::int64_t) { return std::nan(""); }

std::string Losses::irregular(std::size_t, std::int64_t, double) { return ""; }

std::string name_of(AuditArithmetic arithmetic) {
  switch (arithmetic) {
    case AuditArithmetic::double_double:
      return "double-double";
    case AuditArithmetic::triple_double:
      return "triple-double";
    case AuditArithmetic::digits50:
      break;
  }
  return "50 digits";
}

ClaimSubject::ClaimSubject(const Claim& claim, const Tensors& inputs)
    : claim_(claim), inputs_(inputs), script_(claim), geometry_(claim) {
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::gradient)
      tensors_.push_back({spec.name.substr(2), spec.layout.shape, Reach::all});
  for (std::size_t k = 0; k < tensors_.size(); ++k) tensors_[k].reach = reach_of(k);
}

Movable ClaimSubject::movable(std::size_t tensor) const {
  const std::string& name = tensors_[tensor].name;
  if (claim_.tensor(name).role == Role::input) return {true, 0};
  return {false, script_.number(name)};
}

bool ClaimSubject::shared(std::size_t tensor) const {
  const Movable movable = this->movable(tensor);
  return !movable.input && script_.numbers[movable.number].shared;
}

bool ClaimSubject::before_norm(std::size_t tensor) const {
  const Movable movable = this->movable(tensor);
  if (!script_.has_norm() || (!geometry_.channels() && !script_.batch_statistics)) return false;
  if (movable.input) return true;
  for (std::size_t k = 0; k < script_.lines.size(); ++k)
    for (const int number : script_.lines[k].numbers)
      if (number == static_cast<int>(movable.number))
        for (std::size_t later = k + 1; later < script_.lines.size(); ++later)
          if (later == script_.norm || script_.lines[later].later_norm) return true;
  return false;
}

bool ClaimSubject::bent_before_norm() const {
  for (std::size_t k = 0; k < script_.norm && k < script_.lines.size(); ++k)
    if (script_.lines[k].kind == StageKind::swish) return true;
  return false;
}

Reach ClaimSubject::reach_of(std::size_t tensor) const {
  if (shared(tensor)) return Reach::all;
  const Reach unit = geometry_.channels() ? Reach::group : Reach::column;
  if (movable(tensor).input) return before_norm(tensor) ? unit : Reach::itself;
  return before_norm(tensor) ? unit : Reach::column;
}

std::vector<std::int64_t> ClaimSubject::units_of(std::int64_t block) const {
  std::vector<std::int64_t> units;
  for (std::int64_t row = 0; row < geometry_.units_in_block(); ++row)
    units.push_back(geometry_.unit(block, row));
  return units;
}

bool ClaimSubject::in_one_unit(std::size_t tensor) const {
  return movable(tensor).input || (!shared(tensor) && !geometry_.channels());
}

std::int64_t ClaimSubject::block_of(std::size_t tensor, std::int64_t entry) const {
  if (movable(tensor).input) return geometry_.block_of(geometry_.unit_of(entry));
  return shared(tensor) ? 0 : entry / claim_.block_width();
}

std::int64_t ClaimSubject::unit_of(std::size_t tensor, std::int64_t entry) const {
  if (movable(tensor).input) return geometry_.unit_of(entry);
  return geometry_.unit(block_of(tensor, entry), 0);
}

std::unique_ptr<Losses> ClaimSubject::losses(AuditArithmetic arithmetic) const {
  return claim_losses(*this, arithmetic);
}

}  // namespace gradproof
