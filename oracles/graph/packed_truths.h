// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "oracles/graph/field.h"
#include "oracles/graph/tier.h"
#include "oracles/graph/truth_arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The results of the forward pass that are kept if the adjoint goes forward again with given
/// statistics.
template <class T>
struct ForwardResults {
  std::map<int, Field<T>> outputs;  ///< by place; others are the runner's values
  std::vector<Field<T>> statistics;
};

/// The truths of a block that a runner left.
template <class V>
struct PackedTruths final : BlockTruths {
  using Arithmetic = TruthArithmetic<CertifiedFunctionsOf<V>>;
  using Exact = CertifiedOf<V>;

  std::map<int, Field<Exact>> outputs;  ///< by place
  std::vector<Field<Exact>> statistics;
  std::vector<Field<Exact>> gradients;                      ///< by tensor
  std::vector<std::vector<typename Arithmetic::Sum>> sums;  ///< by use

  std::size_t bytes() const override {
    std::size_t count = 0;
    for (const auto& [place, field] : outputs) count += field.v.size();
    for (const auto* fields : {&statistics, &gradients})
      for (const Field<Exact>& field : *fields) count += field.v.size();
    for (const auto& of_use : sums) count += of_use.size();
    return count * sizeof(Exact);
  }
};

/// Moves the results out of a runner that has gone back.
template <class V, class Runner>
std::unique_ptr<PackedTruths<V>> truths_of(Runner& runner, ForwardResults<CertifiedOf<V>> forward,
                                           const GraphPlan& plan) {
  auto truths = std::make_unique<PackedTruths<V>>();
  truths->outputs = std::move(forward.outputs);
  for (const int output : plan.outputs)
    truths->outputs.try_emplace(output, runner.move_out(output));
  truths->statistics = std::move(forward.statistics);
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
    truths->gradients.push_back(std::move(runner.cotangents().sum(k)));
  for (std::size_t k = 0; k < runner.summed_uses().size(); ++k)
    truths->sums.push_back(runner.take_sums(k));
  return truths;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
