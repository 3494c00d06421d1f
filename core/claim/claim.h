// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/case/case.h"
#include "core/claim/contract.h"
#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace gradproof {

///   input      x: filled by the Case's fill
///   parameter  weight, beta, bias: filled with numbers that are no identity; has a gradient
///              d_<name>
///   buffer     running_mean, ...: read and written in place by forward
///   cotangent  dy
///   output     written by forward (y, mean, rstd)
///   gradient   written by backward (d_x, d_weight, ...)
enum class Role { input, parameter, buffer, cotangent, output, gradient };

/// A tensor that takes part in a Case. Shapes: (rows, cols) of x, y, dy and d_x; (cols), (1) or
/// (1, cols) of parameters and their gradients; (cols) or (rows, groups) of saved statistics.
struct TensorSpec {
  std::string name;
  Role role = Role::input;
  DType dtype = DType::f32;
  Layout layout;
  /// The name of what each dimension counts: an axis of the graph, "groups" of a norm's saved
  /// statistics, or an empty text where one number stands for all.
  std::vector<std::string> axes = {};

  bool has_axis(std::string_view axis) const { return has_name(axes, axis); }
};

/// Everything that the witnesses may know of a kernel for one Case: its mathematics, its promises
/// and its tensors, never the kernel. The graph takes `x` of the axes rows and cols, its first
/// output is `y`; its numbers are already rounded to the contract's scalar type.
struct Claim {
  Graph graph;
  GraphExtents extents;  ///< of rows and cols
  bool forward = true;   ///< whether forward's outputs and buffers are judged
  bool backward = true;  ///< whether gradients are judged
  /// Running statistics average all batches: the momentum is 1/(num_batches_tracked + 1), not the
  /// steps' own. The language of graphs lacks this option, and also the outputs `mean` and
  /// `rstd`, which are a norm's saved statistics, and the buffer `num_batches_tracked`.
  bool cumulative = false;
  /// The code is judged by its graph alone: its Case has no keys for layouts, modes, eps and
  /// choices of gradients, and its calls need not refuse anything.
  bool by_graph = false;
  Contract contract;
  std::vector<TensorSpec> tensors;

  /// Throw InstrumentError where the claim has no such extent.
  std::int64_t rows() const { return extent("rows"); }
  std::int64_t cols() const { return extent("cols"); }
  /// The number of groups of columns that a norm takes together; 0 where no norm takes groups.
  std::int64_t groups() const;

  /// A unit is a set that is normalised together: a column over all rows, or with groups one row of
  /// one group. A block is all units that share parameters: a column, or a group over all rows.
  std::int64_t blocks() const { return groups() > 0 ? groups() : cols(); }
  std::int64_t block_width() const { return groups() > 0 ? cols() / groups() : 1; }  ///< columns

  /// True if no norm takes given statistics, as norms do in evaluation.
  bool batch_statistics() const;
  /// True if a step moves running statistics.
  bool update_running() const;
  /// The steps from x to y: all but those that move running statistics.
  std::vector<GraphStep> chain() const;

  /// True if the tensor has one element for each of x: inputs, y, dy and the gradients of inputs.
  bool is_matrix(const TensorSpec& spec) const;
  bool has(std::string_view name) const;
  /// Throws InstrumentError for an unknown name.
  const TensorSpec& tensor(std::string_view name) const;

 private:
  std::int64_t extent(std::string_view axis) const;
};

/// Replaces the number of groups in all steps that have groups.
Graph with_groups(Graph graph, std::int64_t groups);

/// The place of the first norm in a chain; the chain's length where there is none.
std::size_t first_norm(const std::vector<GraphStep>& chain);

/// Steps of the claim's chain, from the first up to the last exclusively, as a graph from x to y,
/// with the steps that move statistics of the input of a norm among them.
Graph chain_part(const Claim& claim, std::size_t first, std::size_t last);

/// The name of the step's operand with this word in its stage's row ("weight", "other"); empty if
/// the step lacks it. Throws InstrumentError for a word that the row does not have.
std::string operand_of(const GraphStep& step, std::string_view word);

}  // namespace gradproof
