// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/block_numbers.h"
#include "oracles/graph/functions/real_functions.h"
#include "oracles/graph/runner.h"

namespace gradproof {

/// A graph in one block with 50 digits.
class ExactBlock {
 public:
  using Runner = GraphRunner<TruthArithmetic<PlainFunctions<Real>>>;

  /// Neither `plan` nor `inputs` may end before it. `packed` has one lane.
  ExactBlock(const GraphPlan& plan, const Tensors& inputs, const PackedBlock& packed);

  const std::vector<Real>& value(int place) const { return runner_.value(place).v; }
  /// Empty where the tensor's gradient is a sum, or where it has none.
  const std::vector<Real>& gradient(std::size_t tensor) const { return runner_.gradient(tensor).v; }
  const std::vector<SummedUse<TruthArithmetic<PlainFunctions<Real>>>>& uses() const {
    return runner_.summed_uses();
  }

 private:
  PackedNumbers numbers_;
  BlockNumbers view_;
  TruthArithmetic<PlainFunctions<Real>> arithmetic_;
  Runner runner_;
};

}  // namespace gradproof
