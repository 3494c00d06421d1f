// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {

/// Maps an element's place in one shape to its place in another; empty: the same place.
using IndexMap = std::vector<std::int32_t>;

/// The owner of a field whose elements share no step's errors.
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

/// The groups that a stage takes together, `count` of `length`: element i is in group of[i].
struct Grouping {
  IndexMap of;
  IndexMap members;  ///< those of the first group, in order, then those of the second
  std::int64_t count = 0;
  std::int64_t length = 0;

  const std::int32_t* members_of(std::int64_t group) const {
    return members.data() + group * length;
  }
};

/// Sums of products of two factors: number i of the result is the sum over k of the left factor's
/// number at left_of[i] + left_term[k] times the right one's at right_of[i] + right_term[k]. Places
/// of a factor with a map `from` are those of a layout of it; the map has -1 where the layout has a
/// zero of its own, which is no term.
struct SumsOfProducts {
  IndexMap left_of;
  IndexMap right_of;
  IndexMap left_term;
  IndexMap right_term;
  IndexMap left_from = {};
  IndexMap right_from = {};
  std::int64_t length = 0;  ///< the most terms that a sum has
  /// The sums of which one is made where each is stored before the next is added to it: one for
  /// each tap of a window, or one for each sample. 0: LibTorch makes one sum.
  std::int64_t stored_sums = 0;

  std::size_t count() const { return left_of.size(); }
  /// Calls visit(left, right) with the places of each term's factors, and zero(left, right) where a
  /// layout has a zero of its own, whose place is -1.
  template <class Visit, class Zero>
  [[gnu::always_inline]] void each_term(std::size_t i, const Visit& visit, const Zero& zero) const {
    const std::int32_t left_first = left_of[i];
    const std::int32_t right_first = right_of[i];
    for (std::size_t k = 0; k < left_term.size(); ++k) {
      std::int32_t left = left_first + left_term[k];
      std::int32_t right = right_first + right_term[k];
      if (!left_from.empty()) left = left_from[static_cast<std::size_t>(left)];
      if (!right_from.empty()) right = right_from[static_cast<std::size_t>(right)];
      if (left >= 0 && right >= 0)
        visit(static_cast<std::size_t>(left), static_cast<std::size_t>(right));
      else
        zero(left, right);
    }
  }
};

/// The numbers that a move takes of one operand.
struct MovedNumbers {
  IndexMap from;          ///< the operand's place for each element of the value; -1: none of it
  std::vector<int> uses;  ///< the count of the value's elements for each of the operand's
};

/// A step with places in place of names. Its space is the shape of its first tensor operand; an
/// elementwise step's space is the shape of its value.
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
  /// For a window: the position in `window` at which the operand's places for each of the value's
  /// elements begin.
  std::vector<std::int32_t> window_first;
  std::vector<std::int32_t> window;
  std::int64_t window_size = 1;  ///< padding counted
  /// A product has its value and the gradients of its two factors here, each as sums of products.
  std::vector<SumsOfProducts> products;
  std::vector<MovedNumbers> moved;  ///< of a move, for each operand
  IndexMap bias_of;                 ///< a product's bias for each element of its value
  /// The terms, over all blocks, of the gradient of a norm's weight or of an elementwise step's
  /// first operand.
  std::int64_t summed = 1;
  std::int64_t inner = 1;  ///< of a norm over groups: elements of one channel in a group
  /// The step of the scale in front of a norm whose gradient the norm gives, by one number for each
  /// group; -1 if there is none. Without a contract every such scale counts.
  int scaled_by = -1;
  /// True if a norm's contract multiplies the weight in behind the sums, which decides the result
  /// of an infinite weight. The truth is computed so too.
  bool weighted_after = false;
};

/// A statistic that a norm keeps of each group for the adjoint, an output under its own name.
struct NormStatistic {
  std::string name;
  std::string norm;      ///< the value of its step
  bool is_rstd = false;  ///< 1/sqrt(variance + eps); else the mean
};

/// One number for each group; for a norm of given statistics, one for each channel.
struct PlanStatistic {
  PlanValue value;
  std::size_t step = 0;
  bool is_rstd = false;
};

/// A graph in one block: all elements, or those between two numbers along one axis along which no
/// step couples anything, so that blocks are independent but for the gradients of tensors without
/// that axis.
struct GraphPlan {
  /// `block_length` counts the numbers of a block along the axis, or its packs of as many numbers
  /// as an arithmetic has lanes. `scalar` rounds a number of the text to the contract's scalar
  /// type. Throws UsageError for groups that do not divide their axis, and for a window wider than
  /// its axis.
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
  /// True if only the first of several equal and exact numbers is chosen, where any share would be
  /// right.
  bool first_of_ties = false;

  /// Adds the statistics of the steps that the graph has.
  void add_statistics(const std::vector<NormStatistic>& all);
  bool is_tensor(int value) const { return value < static_cast<int>(graph->tensors.size()); }
  /// True if a step of this plan's graph, or of an earlier part of a whole one, made the value.
  bool is_made(int value) const {
    return !is_tensor(value) ||
           graph->tensors[static_cast<std::size_t>(value)].part == TensorPart::value;
  }
  /// True if a step only moves numbers of values, which were stored before, to make the value.
  bool is_moved(int value) const;
  /// True if a step before that one takes the value.
  bool is_taken(int value, std::size_t before) const;
  /// The values but outputs that no step takes any more once all from this one on went back.
  std::vector<int> last_needed_by(std::size_t step) const;
  /// The norm that gives the gradient of that scale in front of it.
  const PlanStep& norm_behind(std::size_t scale) const;
  /// True if errors that a step's groups share stay shared when another step sums over its axes, or
  /// hands its operand the sum over axes that the operand lacks: all lie inside one group.
  bool stays_shared(int owner, const PlanStep& in_step) const;
  bool stays_shared(int owner, const PlanStep& of_step, std::size_t operand) const;
  /// True if two operands have errors that two different steps own.
  static bool is_foreign(int owner, int other) {
    return owner != kNobody && other != kNobody && owner != other;
  }
  /// True if a step's adjoint would take the errors that the cotangent's groups share for those of
  /// another step, or of another group: a rotation and windows that overlap make a number of
  /// several cotangents, while a reduction hands each on. Norms and products fold such errors
  /// themselves.
  bool mixes_shared(const PlanStep& step, int of_cotangent, int of_operands) const;
};

}  // namespace gradproof
