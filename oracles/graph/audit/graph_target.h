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
#include "oracles/graph/audit/audited_graph.h"

namespace gradproof {

class PartAtRest;

/// The claim that a control makes in place of one entry of the adjoint's gradient.
using EditClaim = std::function<Digits400(std::int64_t entry, const Digits400& adjoint)>;

/// Says that an audit would take too long; smaller extents take less.
struct AuditTooLarge : UsageError {
  using UsageError::UsageError;
};

/// L = sum dy y of a graph by one of its tensors, with the oracle's adjoint as the claim
/// (docs/audit.md). The graph has a unit for each of its parts; a tensor that has no numbers of its
/// own in a part affects all units, or those of its strip, and SummedTarget adds them up. The
/// entries of a graph that is not cut are divided among units, so that threads share them. Most
/// entries are differenced in double-doubles, several evaluations at once (PackedMoves), and only
/// the open ones in the numbers of FunctionTarget.
class GraphTarget final : public AuditTarget {
 public:
  /// `tensor` is a place in the graph, with a gradient. The graph must outlive the target.
  GraphTarget(const AuditedGraph& graph, std::size_t tensor, EditClaim edit = {});

  const std::vector<AuditedTensor>& tensors() const override { return audited_; }
  std::int64_t blocks() const override;
  std::vector<std::int64_t> units_of(std::int64_t block) const override;
  bool in_one_unit(std::size_t) const override {
    return graph_.is_cut(tensor_) || !graph_.is_cut();
  }
  bool may_bend() const override;
  /// True if a stage has kinks, or no value for some numbers.
  bool may_be_irregular() const;
  std::int64_t unit_size() const override;
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override;

  const AuditedGraph& graph() const { return graph_; }
  std::size_t tensor() const { return tensor_; }
  const MovedTensor& how() const { return graph_.moved().tensors[tensor_]; }

  /// The part of a unit, and the range of the unit's columns in its part.
  std::int64_t part_of(std::int64_t unit) const { return unit / units_per_part_; }
  struct Columns {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  Columns columns_of(std::int64_t unit) const;
  /// The whole tensor's entry that stands at a position in a part.
  std::int64_t entry_of(std::int64_t part, std::size_t position) const {
    return graph_.entry_of(tensor_, part, position);
  }
  /// The claim of a control in place of the adjoint's in a part; the adjoint's if there is no
  /// control.
  Digits400 edited(std::int64_t part, std::size_t position, const Digits400& adjoint) const;
  bool is_edited() const { return edit_ != nullptr; }

  /// The count of evaluations in packs that differencing takes, for all entries or for a sample,
  /// and the cost of one evaluation.
  double evaluations(std::int64_t entries) const;
  double elements_behind() const;
  /// Counts evaluations in many digits. Throws AuditTooLarge if all of them would take minutes.
  void spend(double evaluations) const;

  /// The part as a function of which all is known in 400 digits, made at the first call.
  const FunctionTarget& function(std::int64_t part) const;
  /// The part as a function that is made quickly, for losses in 400 digits by the widths of the
  /// part at rest, which must be this one.
  const FunctionTarget& function_of(PartAtRest& part) const;
  /// The part as a function in triple-doubles, in which kinks are searched.
  const FunctionTarget& quick_function(std::int64_t part) const;

 private:
  struct FunctionOfPart {
    std::once_flag once;
    std::shared_ptr<const void> owner;
    std::shared_ptr<const FunctionTarget> function;
  };
  /// Makes a part's function, with the control's claims and, of a part at rest, with its widths.
  template <class... How>
  void make(std::int64_t part, FunctionOfPart& own, PartAtRest* at_rest, const How&... how) const;

  /// True if the parts of one strip share the tensor's numbers.
  bool is_shared_in_strips() const { return graph_.is_in_strips(tensor_) && !in_one_unit(0); }

  const AuditedGraph& graph_;
  std::size_t tensor_;
  EditClaim edit_;
  std::vector<AuditedTensor> audited_;
  mutable std::deque<FunctionOfPart> functions_;        ///< by part, in 400 digits
  mutable std::deque<FunctionOfPart> moved_functions_;  ///< those of function_of()
  mutable std::deque<FunctionOfPart> quick_functions_;
  mutable std::atomic<double> spent_ = 0;
  std::int64_t units_per_part_ = 1;
};

/// Compares <J v, dy> of dual numbers in double-doubles with <v, gradient>, v random, in some
/// parts; where they do not agree to the wanted digits, FunctionTarget's witness judges the part.
/// Returns the worst part.
AuditWitness dual_numbers_witness(const GraphTarget& target, int digits);

}  // namespace gradproof
