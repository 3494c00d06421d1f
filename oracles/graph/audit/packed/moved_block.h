// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "oracles/graph/audit/moved_tensors.h"
#include "oracles/graph/audit/packed/wide_functions.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/runner.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A graph in one block in packs of a wide number N, of which single steps are evaluated again. The
/// lanes of a pack stand for numbers along the axis that blocks are cut from, and all lanes are the
/// same number.
template <WideNumber N>
class MovedBlock {
 protected:
  using T = N;
  using Functions = WideFunctionsOf<N>;
  using Truth = TruthArithmetic<Functions>;
  using Runner = GraphRunner<Truth>;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Evaluates the block as it is, forward.
  void take_block(const GraphPlan& plan, const MovedTensors& tensors, const BlockNumbers& numbers) {
    plan_ = &plan;
    tensors_ = &tensors;
    numbers_ = &numbers;
    const std::int64_t length = numbers.length * kLanesOf<T>;
    runner_.emplace(plan, truth_, numbers.chosen, length);
    load(*runner_);
    runner_->forward();
    still_.reset();
    if (tensors.has_resting) {
      still_.emplace(plan, truth_, numbers.chosen, length);
      load(*still_);
      still_->forward();
    }
    take_outputs();
    moved_ = kNone;
  }

  /// Evaluates the values that another tensor's move changed before at rest again.
  void rest_but(std::size_t tensor) {
    if (moved_ != kNone && moved_ != tensor) run(moved_);
    moved_ = tensor;
  }
  void restore(std::size_t tensor) {
    runner_->tensor(tensor) = field_of<T>(plan_->values[tensor], numbers_->tensors[tensor]);
  }

  void run(std::size_t tensor) {
    for (const std::size_t k : tensors_->tensors[tensor].steps) run_step(k);
  }
  void run_step(std::size_t k) {
    exchange_resting(k);
    runner_->step_forward(k);
    exchange_resting(k);
  }
  void exchange_resting(std::size_t step) {
    for (const std::size_t o : tensors_->resting[step]) {
      const auto at = place(plan_->steps[step].operands[o]);
      std::swap(runner_->tensor(at), still_->tensor(at));
    }
  }

  void load(Runner& runner) const {
    for (std::size_t k = 0; k < numbers_->tensors.size(); ++k)
      if (numbers_->tensors[k] != nullptr)
        runner.tensor(k) = field_of<T>(plan_->values[k], numbers_->tensors[k]);
  }

  void take_outputs() {
    outputs_.clear();
    cotangents_.clear();
    for (std::size_t k = 0; k < plan_->outputs.size(); ++k) {
      outputs_.push_back(runner_->value(plan_->outputs[k]));
      cotangents_.push_back(
          field_of<T>(plan_->values[place(plan_->outputs[k])], numbers_->cotangents[k]));
    }
  }

  const GraphPlan* plan_ = nullptr;
  const MovedTensors* tensors_ = nullptr;
  const BlockNumbers* numbers_ = nullptr;
  Truth truth_;
  std::optional<Runner> runner_;
  std::optional<Runner> still_;  ///< at rest, for operands that do not move with a tensor
  std::vector<Field<T>> outputs_;
  std::vector<Field<T>> cotangents_;
  std::size_t moved_ = kNone;  ///< the tensor of the last evaluation
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
