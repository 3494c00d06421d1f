// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {

/// From an element's place in one shape to that in another; empty: the same place.
using IndexMap = std::vector<std::int32_t>;

/// No step's errors are shared by a field's elements.
inline constexpr int kNobody = -1;

/// A tensor or a step's value in one block.
struct PlanValue {
  std::string name;
  std::vector<std::string> axes;
  std::vector<std::int64_t> extents;  ///< in the block
  std::int64_t count = 0;
  bool sliced = false;     ///< it has the axis that blocks are cut from
  std::int64_t inner = 1;  ///< elements of one number along that axis, as far as they are adjacent
  std::int64_t outer = 1;  ///< how many such parts a number has
};

/// Which numbers a stage takes together: element i is in group of[i], `count` groups of `length`.
struct Grouping {
  IndexMap of;
  IndexMap members;  ///< those of the first group, in order, then those of the second
  std::int64_t count = 0;
  std::int64_t length = 0;

  const std::int32_t* members_of(std::int64_t group) const {
    return members.data() + group * length;
  }
};

/// A step, its names replaced by places. Its space is the shape of its first tensor operand, of an
/// elementwise step that of its value.
struct PlanStep {
  const GraphStep* step = nullptr;
  const GraphStage* row = nullptr;
  std::vector<int> operands;    ///< places in GraphPlan::values; -1 for a number
  std::vector<double> numbers;  ///< of the operands that are numbers, rounded to the scalar type
  int value = 0;
  std::int64_t space = 0;
  std::vector<IndexMap> maps;  ///< from the space to each operand
  IndexMap out;                ///< from the space to the value
  Grouping groups;             ///< of what normalises and reduces
  int same_groups = -1;        ///< the first step that groups the same operand in the same way
  /// For a window: the position in `window` at which the elements of each of the value's elements
  /// begin.
  std::vector<std::int32_t> window_first;
  std::vector<std::int32_t> window;
  std::int64_t window_size = 1;  ///< padding counted
  /// Terms in all blocks of the gradient of a norm's weight, or of an elementwise step's first
  /// operand.
  std::int64_t summed = 1;
  std::int64_t inner = 1;  ///< of a norm over groups: elements of one channel in a group
  /// The step of the scale in front of a norm whose gradient the norm gives, by one number for each
  /// group; -1 where there is none. Without a contract any scale is meant that it could be.
  int scaled_by = -1;
  /// Whether a norm's contract multiplies the weight in behind the sums, which decides what an
  /// infinite weight makes of them. The truth is computed so too.
  bool weighted_after = false;
};

/// What a norm keeps of each of its groups for the adjoint, as an output under a name of its own.
struct NormStatistic {
  std::string name;
  std::string norm;      ///< the value of its step
  bool is_rstd = false;  ///< 1/sqrt(variance + eps); else the mean
};

/// One number for each group, of a norm of given statistics for each channel.
struct PlanStatistic {
  PlanValue value;
  std::size_t step = 0;
  bool is_rstd = false;
};

/// A graph in one block: all elements, or those between two numbers along one axis along which no
/// step couples anything, so that blocks are independent but for the gradients of what has no such
/// axis.
struct GraphPlan {
  /// `block_length`: numbers of a block along the axis, or packs of so many numbers as an
  /// arithmetic has lanes. `scalar` rounds a number of the text to the contract's scalar type.
  /// Throws UsageError for groups that do not divide their axis, and for a window wider than its
  /// axis.
  GraphPlan(const Graph& graph, const GraphExtents& whole, std::int64_t block_length,
            double (*scalar)(double));

  const Graph* graph = nullptr;
  std::vector<PlanValue> values;  ///< tensors, then the steps' values
  std::vector<PlanStep> steps;
  std::vector<int> outputs;
  double (*scalar)(double) = nullptr;
  std::int64_t block_length = 1;     ///< extent of the axis in this plan; 1 where there is none
  std::string block_axis_name = {};  ///< empty where there is none
  std::int64_t blocks = 1;           ///< that sums over the axis are made of
  std::vector<PlanStatistic> statistics = {};
  /// Whether only the first of several equal and exact numbers is chosen, where any share would be
  /// right.
  bool first_of_ties = false;

  /// Those of steps that the graph has.
  void add_statistics(const std::vector<NormStatistic>& all);
  bool is_tensor(int value) const { return value < static_cast<int>(graph->tensors.size()); }
  /// Whether a step made it, of this plan's graph or of an earlier part of a whole one.
  bool is_made(int value) const {
    return !is_tensor(value) ||
           graph->tensors[static_cast<std::size_t>(value)].part == TensorPart::value;
  }
  /// Whether a step before that one takes the value.
  bool is_taken(int value, std::size_t before) const;
  /// The values, outputs apart, that no step takes any more where all from this one on went back.
  std::vector<int> last_needed_by(std::size_t step) const;
  /// The norm that gives the gradient of that scale in front of it.
  const PlanStep& norm_behind(std::size_t scale) const;
  /// Whether the errors that a step's groups share stay shared when another one sums over its axes,
  /// or hands its operand the sum over the axes that this lacks: all lie inside one group.
  bool stays_shared(int owner, const PlanStep& in_step) const;
  bool stays_shared(int owner, const PlanStep& of_step, std::size_t operand) const;
  /// The function says whether two operands have errors that two different steps own.
  static bool is_foreign(int owner, int other) {
    return owner != kNobody && other != kNobody && owner != other;
  }
  /// The function says whether a step's adjoint would take the errors that the cotangent's groups
  /// share for those of another step, or of another group: a rotation and windows that overlap make
  /// a number of several cotangents, while a reduction hands each on. Norms and products fold those
  /// themselves.
  bool mixes_shared(const PlanStep& step, int of_cotangent, int of_operands) const;
};

}  // namespace gradproof
