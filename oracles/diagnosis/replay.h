// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "oracles/diagnosis/judged_gradient.h"

namespace gradproof::diagnosis {

// Nodes are values: node 0 is x, node k + 1 is the value of step k.
inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// A unit of a part of the claim: a column, or a row of a group, of which columns may be missing.
struct ReplayedUnit {
  std::int64_t number = 0;  ///< of the unit in the claim (oracles/pipeline/geometry.h)
  std::size_t column = 0;   ///< position of its first column in Part::columns
  Indices at = {};          ///< row-major indices of its elements in the claim
  Unit<TrackedReal> from = {};
  std::optional<UnitStatistics> statistics = {};  ///< those that the norm took; none: no norm
  // Of the unchanged passes, by node; empty before these have run.
  std::vector<Numbers> values = {};
  std::vector<Numbers> cotangents = {};
};

class ReplayPass;

/// How one step takes a cotangent back.
using Adjoint =
    std::function<Numbers(ReplayPass& pass, std::size_t step, const Numbers& cotangent)>;

/// The terms of a parameter's gradient: a node's cotangent (kNone: 1) times a factor (none: 1).
struct Product {
  std::size_t cotangent = kNone;
  std::function<Numbers(const ReplayPass& pass)> factor = {};
};
/// The cotangent behind the step that uses the parameter, times xhat for a norm's weight and times
/// the input for a scale. The backward pass is that of `pipeline`.
Product right_product(const CompiledPipeline& pipeline, std::size_t slot);

/// What a wrong kernel does in place of the pipeline's passes; by default nothing else.
struct Edit {
  std::vector<std::size_t> steps = {};  ///< whose adjoint is another one
  Adjoint adjoint = {};
  std::optional<Product> product = {};              ///< what a parameter's gradient sums
  std::optional<CompiledPipeline> values = {};      ///< that the forward pass does
  std::optional<CompiledPipeline> cotangents = {};  ///< that the backward pass does
  /// Changes the numbers that the passes start from.
  std::function<void(Unit<TrackedReal>& from, const ReplayedUnit& unit)> numbers = {};
  /// Changes the value at `node`, once it is computed.
  std::size_t node = kNone;
  std::function<void(Numbers& value, const ReplayedUnit& unit)> value = {};
  std::optional<Exp> exp = {};

  bool keeps_values() const { return !values && !numbers && !value && !exp; }
};

/// Forward and backward passes with an edit, over one unit after the other: the oracle's stages,
/// each for its value and for its adjoint by itself, as a wrong kernel's backward pass need not
/// belong to its forward pass.
class ReplayPass {
 public:
  /// The cotangents in front of node `first` are not asked.
  ReplayPass(const JudgedGradient& of, const Edit& changed, std::size_t first);

  void run(const ReplayedUnit& unit);

  // Of the last unit.
  const Numbers& value(std::size_t node) const { return *values_[node]; }
  const Numbers& cotangent(std::size_t node) const { return *cotangents_[node]; }
  const std::optional<UnitStatistics>& statistics() const { return statistics_; }
  /// The cotangent that the stage of a step takes back, at its input or at the value of `node`. It
  /// stays until it is asked again of that step.
  const Numbers& adjoint(std::size_t step, const Numbers& cotangent, std::size_t node = kNone);
  /// x - mean of the norm; xhat, if `scaled`.
  Numbers centered(bool scaled) const;
  /// The norm's weight that element i meets.
  const TrackedReal& weight(std::size_t i) const;

  const JudgedGradient& gradient;
  const Edit& edit;
  const ReplayArithmetic arithmetic;

 private:
  using StagePointer = std::unique_ptr<Stage<ReplayArithmetic>>;
  bool is_edited(std::size_t step) const;

  const CompiledPipeline& forward_;
  const CompiledPipeline& backward_;
  std::size_t first_;
  std::size_t kept_from_ = 0;  ///< from this step on cotangents are those of the unchanged passes
  Unit<TrackedReal> from_;     ///< the unit's numbers
  std::vector<StagePointer> value_stages_;
  std::vector<StagePointer> adjoint_stages_;  ///< nullptr: it is the value's
  const ReplayedUnit* right_ = nullptr;       ///< the unit, where all its values are unchanged
  std::vector<const Numbers*> values_;
  std::vector<const Numbers*> cotangents_;
  Numbers changed_value_;
  std::vector<Numbers> changed_cotangents_;  ///< by step
  std::optional<UnitStatistics> statistics_;
};

/// Some entries of the gradient, and the part of the claim that they are computed from.
struct Replay {
  /// All entries that the part decides. The passes run where the pipeline is a chain. Throws
  /// InstrumentError for a missing tensor.
  Replay(const JudgedGradient& of, Part rows_and_columns);

  const JudgedGradient& gradient;
  Part part;
  std::vector<ReplayedUnit> units;     ///< by row, then by column
  std::vector<ComparedEntry> entries;  ///< a matrix's unit by unit, a parameter's by column
  /// A parameter's gradient is a sum with a term for each element. By entry: the sums of the terms
  /// of the first 0, 1, ... rows; of a gradient of one number also of the first columns.
  std::array<std::vector<Numbers>, 2> sums;
  Numbers right;       ///< the entries that the unchanged passes compute
  bool sound = false;  ///< `right` agrees with the truth, so that changed passes can be trusted

  /// The entries that a wrong kernel has.
  Numbers predict(const Edit& edit) const;

  /// Whether each entry belongs to one unit; then that unit, and the entry's element in it.
  bool has_units() const { return gradient.matrix || !(gradient.shared || gradient.is_grouped()); }
  std::size_t unit_of(std::size_t i) const { return i / entries_of_unit(); }
  std::size_t element_of(std::size_t i) const { return i % entries_of_unit(); }

 private:
  std::size_t entries_of_unit() const { return gradient.matrix ? units.front().at.size() : 1; }
  void take_units();
  void take_sums();
  bool is_sound() const;
};

}  // namespace gradproof::diagnosis
