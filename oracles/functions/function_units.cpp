// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/function_units.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/parallel.h"

namespace gradproof {
namespace {

/// The loss of the unit that was taken.
class UnitLoss final : public PerturbedLoss {
 public:
  UnitLoss(const FunctionUnits& target, AuditArithmetic arithmetic)
      : target_(target), arithmetic_(arithmetic) {}

  void take_unit(std::int64_t unit) override {
    unit_ = &target_.unit(unit);
    loss_ = unit_->function->losses(arithmetic_);
    loss_->take_unit(0);
  }
  std::int64_t count(std::size_t tensor) const override { return loss_->count(tensor); }
  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    const std::vector<std::int64_t>& entries = unit_->entries[tensor];
    return entries.empty() ? place : entries[static_cast<std::size_t>(place)];
  }
  Digits400 change(std::size_t tensor, std::int64_t place, double move) override {
    return loss_->change(tensor, place, move);
  }
  const Values<Digits400>& claimed(std::size_t tensor) override { return loss_->claimed(tensor); }
  int log2_scale(std::size_t tensor) override { return loss_->log2_scale(tensor); }
  double magnitude() override { return loss_->magnitude(); }
  double typical_change() override { return loss_->typical_change(); }
  Irregularity irregular(std::size_t tensor, std::int64_t place, double move) override {
    return loss_->irregular(tensor, place, move);
  }

 private:
  const FunctionUnits& target_;
  AuditArithmetic arithmetic_;
  const FunctionUnit* unit_ = nullptr;
  std::unique_ptr<PerturbedLoss> loss_;
};

/// The worst of what dual numbers say of the units.
AuditWitness dual_numbers_of_units(const FunctionUnits& target, std::size_t tensor,
                                   const FunctionOptions& options) {
  std::vector<AuditWitness> found(static_cast<std::size_t>(target.blocks()));
  for_each_index(target.blocks(), [&](std::int64_t unit) {
    found[static_cast<std::size_t>(unit)] =
        dual_numbers_witness(*target.unit(unit).function, tensor, options);
  });
  const auto rank = [](const AuditWitness& w) {
    return std::pair(w.verdict == WitnessVerdict::wrong    ? 0
                     : w.verdict == WitnessVerdict::agrees ? 1
                                                           : 2,
                     w.digits);
  };
  AuditWitness worst = *std::min_element(
      found.begin(), found.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  if (worst.verdict == WitnessVerdict::wrong && found.size() > 1)
    worst.text += fmt::format(", in the worst of {} parts", found.size());
  return worst;
}

}  // namespace

FunctionUnits::FunctionUnits(std::vector<FunctionUnit> units, const std::vector<Shape>& shapes)
    : units_(std::move(units)) {
  if (units_.empty()) return;
  tensors_ = units_.front().function->tensors();
  for (std::size_t k = 0; k < tensors_.size(); ++k) {
    tensors_[k].shape = shapes[k];
    tensors_[k].reach = units_.size() > 1 && in_one_unit(k) ? Reach::group : Reach::all;
  }
}

bool FunctionUnits::in_one_unit(std::size_t tensor) const {
  return units_.size() < 2 || !units_.front().entries[tensor].empty();
}

std::int64_t FunctionUnits::unit_size() const {
  std::int64_t most = 1;
  for (const FunctionUnit& unit : units_) most = std::max(most, unit.function->unit_size());
  return most;
}

std::unique_ptr<PerturbedLoss> FunctionUnits::losses(AuditArithmetic arithmetic) const {
  return std::make_unique<UnitLoss>(*this, arithmetic);
}

std::vector<AuditRow> audit_function_units(const FunctionUnits& target,
                                           const FunctionOptions& options) {
  std::vector<AuditRow> rows = audit_target(target, options);
  for (std::size_t k = 0; k < rows.size() && target.blocks() > 0; ++k)
    rows[k].witnesses.push_back(dual_numbers_of_units(target, k, options));
  return rows;
}

}  // namespace gradproof
