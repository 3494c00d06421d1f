// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// The stages that standardise their groups, by what a moved number changes of the others.
enum class Normaliser { centred, uncentred, softmax, log_softmax };

/// The effect of a tensor's numbers on the outputs of a plan.
struct MovedTensor {
  std::vector<std::size_t> steps;    ///< that depend on it, in their order
  std::vector<std::size_t> outputs;  ///< of the plan's outputs those that depend on it
  /// The product that takes the tensor as its first or second operand, if no other step takes it:
  /// its value changes by the move times the other operand. It is -1 if there is none.
  int product = -1;
  /// Numbers that may be moved at once, since no element of an output depends on two of them: they
  /// differ along axes that no step behind the tensor couples (Curtis, Powell and Reid 1974, on
  /// sparse Jacobians). Each column is as long, and each number is in one.
  std::vector<std::vector<std::size_t>> columns;
  /// By the outputs above: the number of every column on which each element depends.
  std::vector<std::vector<std::int32_t>> number_of;

  /// The only step behind the tensor that takes numbers together, a norm or a softmax, if all
  /// others make each element of one element with the same index: a moved number changes the others
  /// of its group through the statistics alone. It is -1 if there is none.
  int normaliser = -1;
  Normaliser normaliser_kind = Normaliser::centred;

  std::size_t column_length() const { return columns.empty() ? 0 : columns.front().size(); }
};

/// The moved tensors of a plan, by tensor, and the operands that rest: nothing goes back through
/// `detach`, an update of running statistics, or those statistics if a norm takes them, so that
/// these do not change while a tensor moves.
struct MovedTensors {
  explicit MovedTensors(const GraphPlan& plan);

  std::vector<MovedTensor> tensors;
  std::vector<std::vector<std::size_t>> resting;  ///< by step: its operands that rest
  bool has_resting = false;
};

/// True if the step's operand rests.
bool is_resting(const PlanStep& step, std::size_t operand);

}  // namespace gradproof
