// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/tier.h"

#include "core/parallel.h"

namespace gradproof {

void BlockAnswers::resize(std::size_t count) {
  for (auto* numbers : {&hi, &lo, &radius, &estimate, &error}) numbers->resize(count);
  vacuous.resize(count);
  overflow.resize(count);
}

void BlockAnswers::count_terms(int of_each) {
  terms = of_each;
  if (terms > 1) sizes.resize(hi.size());
}

BlockTruths::~BlockTruths() = default;
GraphTier::~GraphTier() = default;

void GraphTier::evaluate(const GraphPlan& plan, const BlockNumbers& numbers,
                         const BlockTruths* known) {
  plan_ = &plan;
  evaluate_bounds(numbers);
  if (known != nullptr)
    take_truths(*known);
  else
    evaluate_truths(numbers);
}

void GraphTier::evaluate_at_once(const GraphPlan& plan, const BlockNumbers& numbers) {
  plan_ = &plan;
  for_each_index(2, [&](std::int64_t which) {
    which == 0 ? evaluate_bounds(numbers) : evaluate_truths(numbers);
  });
}

std::vector<GraphCompilation> graph_compilations(TierLanes lanes) {
  return lanes == TierLanes::single
             ? scalar_compilations_of([]<InstructionSet set>() { return &single_graph<set>; })
             : compilations_of([]<InstructionSet set>() { return &packed_graph<set>; });
}

std::unique_ptr<GraphTier> graph_tier(const GraphSetting& setting, TierLanes lanes) {
  static const GraphCompilation packed = widest(graph_compilations(TierLanes::pack));
  static const GraphCompilation single = widest(graph_compilations(TierLanes::single));
  return (lanes == TierLanes::single ? single : packed).make(setting);
}

}  // namespace gradproof
