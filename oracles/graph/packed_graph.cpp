// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/packed_graph.h"

namespace gradproof {

template <>
std::unique_ptr<GraphTier> packed_graph<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    const GraphSetting& setting) {
  return graph_tier_of<Pack>(setting);
}

}  // namespace gradproof
