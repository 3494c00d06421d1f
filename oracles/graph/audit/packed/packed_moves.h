// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "core/instruction_set.h"
#include "oracles/differences/arithmetic.h"
#include "oracles/differences/steps/tableau.h"
#include "oracles/graph/audit/placed_plan.h"
#include "oracles/graph/tier.h"

namespace gradproof {

/// One number of a tensor, by its position in the block, and the number added to it.
struct MovedNumber {
  std::size_t place = 0;
  double by = 0;
};

/// L = sum dy y of a graph in one block, in packs of double-doubles or triple-doubles: as many
/// evaluations at once as a pack has lanes, each with numbers of its own moved. Only steps behind
/// the moved tensor are evaluated again. It is compiled for each instruction set, so its interface
/// is plain data.
class PackedMoves {
 public:
  virtual ~PackedMoves() = default;

  virtual std::size_t lanes() const = 0;
  /// Evaluates the block as it is, forward and backward. The block's numbers stand one after the
  /// other. All arguments must outlive the last question about the block.
  virtual void take(const GraphPlan& plan, const MovedTensors& tensors,
                    const BlockNumbers& numbers) = 0;

  /// sum |dy y|; NaN where an output has no value.
  virtual double magnitude() const = 0;
  /// The adjoint's gradient of the tensor in this block, number by number.
  virtual void gradient(std::size_t tensor, Wide* into) const = 0;

  /// L(moved) - L for each of at most lanes() moves, of one number each.
  virtual void changes(std::size_t tensor, const MovedNumber* moves, std::size_t count,
                       Wide* into) = 0;
  /// sum |dy (y' - y)|, in the same way.
  virtual void absolute_changes(std::size_t tensor, const MovedNumber* moves, std::size_t count,
                                double* into) = 0;
  /// All numbers of one of the tensor's columns moved at once, that at position p by
  /// by[k] 2^wider[p], for each of at most lanes() numbers by[k]. The change that the column's i-th
  /// number makes, divided by 2^wider[p], is written to into[k * stride + i].
  virtual void column_changes(std::size_t tensor, std::size_t column, const int* wider,
                              const double* by, std::size_t count, Wide* into,
                              std::size_t stride) = 0;
  /// column_changes() of the numbers at the places of a plan of their steps, each moved alone.
  /// `whole` is the plan of all numbers. NaN where the group's statistics change too much for it.
  virtual void statistic_changes(const PlacedPlan& whole, const PlacedPlan& placed,
                                 const int* wider, const double* by, std::size_t count, Wide* into,
                                 std::size_t stride) = 0;
  /// L(moved) - L where each number of the tensor is moved by factors[k] direction[p], for each of
  /// at most lanes() factors.
  virtual void response(std::size_t tensor, const double* direction, const double* factors,
                        std::size_t count, Wide* into) = 0;
  /// <J v, dy> by dual numbers, v being a direction of this tensor alone.
  virtual Wide directional(std::size_t tensor, const double* direction) const = 0;

  /// The differences of `count` numbers from their changes by moves of 2^k h, h = 2^log2_step:
  /// those of number i by 2^k h and -2^k h stand at changes[2 k stride + i] and, behind it,
  /// changes[(2 k + 1) stride + i].
  virtual void differences(const Wide* claimed, const Wide* changes, std::size_t stride,
                           std::size_t count, const StepChoice& step, Difference* into) const = 0;
};

/// Each compilation of packed_moves.cpp defines that of its instruction set. The arithmetic is one
/// of those that come in packs.
template <InstructionSet set>
std::unique_ptr<PackedMoves> packed_moves_of(AuditArithmetic arithmetic);

using PackedMovesCompilation = Compilation<std::unique_ptr<PackedMoves> (*)(AuditArithmetic)>;
std::vector<PackedMovesCompilation> packed_moves_compilations();

/// The object of the widest compilation that this CPU can run.
std::unique_ptr<PackedMoves> packed_moves(AuditArithmetic arithmetic);

}  // namespace gradproof
