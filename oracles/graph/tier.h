// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/compare/comparison.h"
#include "core/instruction_set.h"
#include "oracles/bounds/summand_fields.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/plan/plan.h"
#include "oracles/truth/ball.h"
#include "oracles/truth/stored_type.h"

namespace gradproof {

/// Truth and permitted error of the elements of one value in a block, each quantity in an array of
/// its own.
struct BlockAnswers {
  std::vector<double> hi;
  std::vector<double> lo;
  std::vector<double> radius;
  std::vector<double> estimate;  ///< the number as the error arithmetic has it
  std::vector<double> error;
  std::vector<unsigned char> vacuous;
  std::vector<unsigned char> overflow;
  int terms = 1;              ///< a gradient is the sum of so many cotangents
  std::vector<double> sizes;  ///< of several terms the sum of their sizes

  void resize(std::size_t count);
  void count_terms(int of_each);
  Ball ball(std::size_t i) const { return {hi[i], lo[i], radius[i]}; }
  Permitted permitted(std::size_t i) const {
    const bool infinite = std::isinf(estimate[i]) && error[i] == 0;
    const bool is_vacuous = vacuous[i] != 0;
    const bool overflows = overflow[i] != 0;
    return {error[i], is_vacuous, overflows, infinite && overflows && !is_vacuous};
  }
};

/// The answers, and their truths in the stored type; only the truths unless `whole` is
/// true.
struct PackedAnswers {
  explicit PackedAnswers(std::size_t count, bool whole = true) {
    if (whole) answers.resize(count);
    truths.resize(count);
  }
  BlockAnswers answers;
  Truths truths;
  bool are_known = true;    ///< every truth has a finite radius
  bool are_decided = true;  ///< every truth is_decided() beside its bound
};

/// One sum over a block's elements: the truth, and the fields of ErrorSum.
struct BlockSum {
  Ball truth;
  double value = 0;
  double error = 0;
  double magnitude = 0;
  double finite = 0;
  bool vacuous = false;
  bool overflow = false;
  SummandFields summands;
};

/// The part of a tensor's gradient that sums over a block, from one use of the tensor.
struct BlockUse {
  int tensor = 0;
  std::int64_t length = 0;  ///< terms of one sum
  SumOrder order;
  std::size_t count = 0;  ///< of the sums
  SumSettings settings = {};
};

/// The settings that a tier is constructed for. It refers to them.
struct GraphSetting {
  const GraphContract& contract;
  StoredType between;  ///< what each operator's result is rounded to; unit 0: nothing is
};

/// The numbers that a block is evaluated from. A value with the block's axis has its numbers in
/// packs: element p * inner + i of the plan's value is followed by itself in the other lanes. Any
/// other value has each number once. Kept numbers have a radius and a permitted error; a null
/// pointer says that there are none.
struct BlockNumbers {
  std::vector<const double*> tensors;       ///< nullptr for labels, and for what is kept
  std::vector<const double*> cotangents;    ///< of the outputs
  const std::vector<MovedNumbers>& chosen;  ///< by step: chosen_numbers()
  std::int64_t length = 0;                  ///< of the block
  /// For a segment: values of earlier segments by tensor, cotangents by output, and by tensor the
  /// part of its gradient that later segments gave.
  std::vector<const BlockAnswers*> kept_tensors = {};
  std::vector<const BlockAnswers*> kept_cotangents = {};
  std::vector<const BlockAnswers*> gradients = {};
  bool alone = true;  ///< the graph is no segment: what nothing goes back to has a gradient of 0
  std::vector<const double*> given = {};  ///< by GraphPlan::statistics; empty: none are given
  /// True if outputs and statistics are asked for. If none are, gradients start from given
  /// statistics alone.
  bool forward = true;
};

/// The truths of a block, as a tier has them. They follow from the graph and its inputs, and from
/// no contract.
class BlockTruths {
 public:
  BlockTruths() = default;
  virtual ~BlockTruths();
  BlockTruths(const BlockTruths&) = delete;
  BlockTruths& operator=(const BlockTruths&) = delete;
  /// The memory of all numbers.
  virtual std::size_t bytes() const = 0;
};

/// Evaluates a graph in one block after the other: the truth in double-double with a certified
/// radius, infinite where the value is not known, and the bound in the contract's error arithmetic.
class GraphTier {
 public:
  GraphTier() = default;
  virtual ~GraphTier();
  GraphTier(const GraphTier&) = delete;
  GraphTier& operator=(const GraphTier&) = delete;

  virtual int lanes() const = 0;
  /// `known`: the block's truths, of another tier of the same lanes; null: they are evaluated too.
  /// They must outlive what is asked.
  void evaluate(const GraphPlan& plan, const BlockNumbers& numbers,
                const BlockTruths* known = nullptr);
  /// Moves out the truths that evaluate() made. They must outlive what is asked of this tier.
  virtual std::unique_ptr<BlockTruths> move_truths() = 0;
  /// The truths that evaluate() made and nobody moved out.
  virtual const BlockTruths& truths() const = 0;
  /// Evaluates a block as evaluate() does, but truth and bound each in a thread, if it is the only
  /// block. It takes the memory of both at once.
  void evaluate_at_once(const GraphPlan& plan, const BlockNumbers& numbers);

  /// The answers for a step's value before it is stored; in packs, as in BlockNumbers. Its truths
  /// are those of the stored type.
  virtual void value(int place, const StoredType& type, PackedAnswers& into) const = 0;
  /// The answers for one of GraphPlan::statistics, as the forward pass computed it.
  virtual void statistic(std::size_t which, const StoredType& type, PackedAnswers& into) const = 0;
  /// True if the tensor's gradient has a term for each of its elements; else it is a sum, or none.
  virtual bool has_gradient(std::size_t tensor) const = 0;
  virtual void gradient(std::size_t tensor, const StoredType& type, PackedAnswers& into) const = 0;

  virtual std::size_t uses() const = 0;
  virtual BlockUse use(std::size_t which) const = 0;
  /// Moves out a use's sums; may be called once for each use.
  virtual void take_sums(std::size_t use, BlockSum* into) = 0;

 protected:
  const GraphPlan* plan_ = nullptr;  ///< the last that was evaluated

 private:
  virtual void evaluate_bounds(const BlockNumbers& numbers) = 0;
  virtual void evaluate_truths(const BlockNumbers& numbers) = 0;
  virtual void take_truths(const BlockTruths& known) = 0;
};

/// The numbers that a tier evaluates at once along the axis of blocks: a pack or a single one.
enum class TierLanes { pack, single };

/// Each compilation of packed_graph.cpp and single_graph.cpp defines one of these for its set.
template <InstructionSet set>
std::unique_ptr<GraphTier> packed_graph(const GraphSetting& setting);
template <InstructionSet set>
std::unique_ptr<GraphTier> single_graph(const GraphSetting& setting);

using GraphCompilation = Compilation<std::unique_ptr<GraphTier> (*)(const GraphSetting&)>;
std::vector<GraphCompilation> graph_compilations(TierLanes lanes = TierLanes::pack);

/// A tier of the widest compilation that this CPU can run.
std::unique_ptr<GraphTier> graph_tier(const GraphSetting& setting, TierLanes lanes);

}  // namespace gradproof
