// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "oracles/graph/arithmetic.h"
#include "oracles/graph/block_numbers.h"
#include "oracles/graph/functions/real_functions.h"
#include "oracles/graph/runner.h"

namespace gradproof {

/// As KeptNumbers, with 50 digits.
using ExactNumbers = std::map<std::string, std::vector<Real>, std::less<>>;

/// As GraphInputs, with 50 digits. It refers to all of it.
struct ExactInputs {
  // NOLINTNEXTLINE(google-explicit-constructor): of a whole graph the tensors are all
  ExactInputs(const Tensors& of_whole) : exact(of_whole) {}
  /// Of a segment: what `from` keeps, in 50 digits.
  ExactInputs(const GraphInputs& from, const ExactNumbers& earlier, const ExactNumbers& later)
      : exact(from), values(&earlier), gradients(&later) {
    exact.values = nullptr;
    exact.gradients = nullptr;
  }

  GraphInputs exact;
  const ExactNumbers* values = nullptr;
  const ExactNumbers* gradients = nullptr;
};

/// A graph in one block with 50 digits.
class ExactBlock {
 public:
  using Runner = GraphRunner<TruthArithmetic<PlainFunctions<Real>>>;

  /// Neither `plan` nor what `inputs` refers to may end before it. `packed` has one lane.
  ExactBlock(const GraphPlan& plan, const ExactInputs& inputs, const PackedBlock& packed);

  const std::vector<Real>& value(int place) const {
    const auto found = outputs_.find(place);
    return found == outputs_.end() ? runner_.value(place).v : found->second.v;
  }
  const std::vector<Real>& statistic(std::size_t which) const { return statistics_[which].v; }
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
  std::map<int, Field<Real>> outputs_;  ///< of the forward pass, where another one followed
  std::vector<Field<Real>> statistics_;
};

}  // namespace gradproof
