// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "oracles/graph/arithmetic.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/functions/class_functions.h"
#include "oracles/graph/functions/real_functions.h"
#include "oracles/graph/runner.h"

namespace gradproof {

/// SegmentNumbers with 50 digits.
using ExactNumbers = std::map<std::string, std::vector<Real>, std::less<>>;

/// GraphInputs with 50 digits. The object refers to its arguments.
struct ExactInputs {
  // NOLINTNEXTLINE(google-explicit-constructor): of a whole graph the tensors are all
  ExactInputs(const Tensors& of_whole) : exact(of_whole) {}
  /// The inputs of a segment: those of `from`, in 50 digits.
  ExactInputs(const GraphInputs& from, const ExactNumbers& earlier, const ExactNumbers& later)
      : exact(from), values(&earlier), gradients(&later) {
    exact.values = nullptr;
    exact.gradients = nullptr;
    exact.inexact = nullptr;
  }

  GraphInputs exact;
  const ExactNumbers* values = nullptr;
  const ExactNumbers* gradients = nullptr;
};

/// A graph in one block, in numbers that have neither a radius nor a bound.
template <class Functions>
class PlainBlock {
 public:
  using Arithmetic = TruthArithmetic<Functions>;
  using T = typename Arithmetic::Scalar;

  /// `plan` and the numbers of `inputs` must outlive the block. `packed` has one lane.
  PlainBlock(const GraphPlan& plan, const ExactInputs& inputs, const PackedBlock& packed);

  const FieldNumbers<T>& value(int place) const {
    const auto found = outputs_.find(place);
    return found == outputs_.end() ? runner_.value(place).v : found->second.v;
  }
  const FieldNumbers<T>& statistic(std::size_t which) const { return statistics_[which].v; }
  /// A tensor's gradient; empty if it is a sum, or if there is none.
  const FieldNumbers<T>& gradient(std::size_t tensor) const { return runner_.gradient(tensor).v; }
  const std::vector<SummedUse<Arithmetic>>& uses() const { return runner_.summed_uses(); }

 private:
  PackedNumbers numbers_;
  BlockNumbers view_;
  Arithmetic arithmetic_;
  GraphRunner<Arithmetic> runner_;
  std::map<int, Field<T>> outputs_;  ///< of the forward pass, where another one followed
  std::vector<Field<T>> statistics_;
};

/// A block with 50 digits.
using ExactBlock = PlainBlock<PlainFunctions<Real>>;
/// A block in the classes of its numbers alone, for a whole graph with exact inputs.
using ClassBlock = PlainBlock<ClassFunctions>;
extern template class PlainBlock<PlainFunctions<Real>>;
extern template class PlainBlock<ClassFunctions>;

}  // namespace gradproof
