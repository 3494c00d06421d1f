// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/tier.h"

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

GraphTier::~GraphTier() = default;

std::vector<GraphCompilation> graph_compilations() {
  return compilations_of([]<InstructionSet set>() { return &packed_graph<set>; });
}

std::unique_ptr<GraphTier> graph_tier(const GraphSetting& setting) {
  static const GraphCompilation best = widest(graph_compilations());
  return best.make(setting);
}

}  // namespace gradproof
