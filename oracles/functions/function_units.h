// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "oracles/functions/function_target.h"

namespace gradproof {

/// One of several functions of the same tensors whose sum is audited.
struct FunctionUnit {
  std::shared_ptr<const void> owner;  ///< of all that the function refers to
  std::shared_ptr<const FunctionTarget> function;
  /// By tensor: which entry of the whole tensor each of the function's numbers is. Of a tensor that
  /// all functions take whole: empty.
  std::vector<std::vector<std::int64_t>> entries;
};

/// The sum of such functions as an AuditTarget, each a unit of its own: a number that one of them
/// alone takes moves that one alone.
class FunctionUnits final : public AuditTarget {
 public:
  /// `shapes` are those of the whole tensors, of which each unit has the names.
  FunctionUnits(std::vector<FunctionUnit> units, const std::vector<Shape>& shapes);

  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return std::ssize(units_); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override { return {block}; }
  bool in_one_unit(std::size_t tensor) const override;
  std::int64_t unit_size() const override;
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  const FunctionUnit& unit(std::int64_t which) const {
    return units_[static_cast<std::size_t>(which)];
  }

 private:
  std::vector<FunctionUnit> units_;
  std::vector<AuditedTensor> tensors_;
};

/// The rows of the sum's audit, each with the witness of dual numbers: the worst of all units.
std::vector<AuditRow> audit_function_units(const FunctionUnits& target,
                                           const FunctionOptions& options);

}  // namespace gradproof
