// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "oracles/differences/target.h"
#include "oracles/functions/function_target.h"
#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/blocks/packed_places.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The claim that a control makes in place of one entry of the adjoint's gradient.
using EditClaim = std::function<Digits400(std::int64_t entry, const Digits400& adjoint)>;

/// Says that an audit would take too long; smaller extents take less.
struct AuditTooLarge : UsageError {
  using UsageError::UsageError;
};

/// L = sum dy y of a graph by one of its tensors, with the oracle's adjoint as the claim
/// (docs/audit.md). The graph has a unit for each number along the axis that blocks are cut from; a
/// tensor that lacks this axis affects all units, and SummedTarget adds them up. The entries of a
/// graph without such an axis are divided among units, so that threads share them. Most entries are differenced in double-doubles, several evaluations at
/// once (PackedMoves), and only the open ones in the numbers of FunctionTarget.
class GraphTarget final : public AuditTarget {
 public:
  /// `tensor` is a place in the graph, with a gradient. Claim and inputs must outlive the target.
  GraphTarget(const GraphClaim& claim, const Tensors& inputs, std::size_t tensor,
              EditClaim edit = {});

  const std::vector<AuditedTensor>& tensors() const override { return audited_; }
  std::int64_t blocks() const override { return units_per_part_ * std::ssize(parts_); }
  std::vector<std::int64_t> units_of(std::int64_t block) const override { return {block}; }
  bool in_one_unit(std::size_t) const override { return by_part_ || cut_.empty(); }
  std::int64_t unit_size() const override;
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  const GraphPlan& plan() const { return plan_; }
  const MovedTensors& moved() const { return moved_; }
  std::size_t tensor() const { return tensor_; }
  const MovedTensor& how() const { return moved_.tensors[tensor_]; }
  const Tensors& inputs() const { return inputs_; }

  /// The parts of the graph that are evaluated by themselves, and the part of a unit.
  std::int64_t parts() const { return std::ssize(parts_); }
  std::int64_t part_of(std::int64_t unit) const { return unit / units_per_part_; }
  const PackedBlock& block(std::int64_t part) const { return at(part).block; }
  /// The range of the unit's columns in its part.
  struct Columns {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Columns columns_of(std::int64_t unit) const;
  /// True if all numbers of the part are finite; of others L has no value.
  bool is_finite(std::int64_t part) const;
  /// The whole tensor's entry that stands at a position in a part.
  std::int64_t entry_of(std::int64_t part, std::size_t position) const;
  /// The claim of a control in place of the adjoint's in a part; the adjoint's if there is no
  /// control.
  Digits400 edited(std::int64_t part, std::size_t position, const Digits400& adjoint) const;
  bool is_edited() const { return edit_ != nullptr; }

  /// The cost of one evaluation of a part in elements of its steps; a product counts its terms.
  double elements() const { return elements_; }
  /// The count of evaluations in packs that differencing takes, for all entries or for a sample,
  /// and the cost of one evaluation.
  double evaluations(std::int64_t entries) const;
  double elements_behind() const;
  /// Counts evaluations in many digits. Throws AuditTooLarge if all of them would take minutes.
  void spend(double evaluations) const;

  /// The part as a function in 400 digits, made at the first call; and the index of a tensor of the
  /// graph among the function's inputs.
  const FunctionTarget& function(std::int64_t part) const;
  std::size_t input_of_function(std::size_t tensor) const;

 private:
  struct Part {
    PackedBlock block;
    std::vector<std::int64_t> entries;  ///< by position; empty: the position
    std::once_flag read;
    bool finite = false;
    std::once_flag once;
    std::shared_ptr<const void> owner;
    std::shared_ptr<const FunctionTarget> function;
  };
  Part& at(std::int64_t part) const { return parts_[static_cast<std::size_t>(part)]; }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  std::size_t tensor_;
  EditClaim edit_;
  std::string cut_;
  bool by_part_;  ///< the tensor has a part of its own in each part of the graph
  GraphPlan plan_;
  MovedTensors moved_;
  std::vector<AuditedTensor> audited_;
  mutable std::deque<Part> parts_;
  double elements_ = 1;
  mutable std::atomic<double> spent_ = 0;
  std::int64_t units_per_part_ = 1;
};

/// Compares <J v, dy> of dual numbers in double-doubles with <v, gradient>, v random; if they do
/// not agree to the wanted digits, FunctionTarget's witness judges the part. Returns the worst
/// part.
AuditWitness dual_numbers_witness(const GraphTarget& target, int digits);

}  // namespace gradproof
