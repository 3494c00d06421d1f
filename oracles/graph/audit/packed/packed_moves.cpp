// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set.
#include "oracles/graph/audit/packed/moves_of.h"

namespace gradproof {

template <>
std::unique_ptr<PackedMoves> packed_moves_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double)
    return std::make_unique<MovesOf<DoubledOf<Pack>>>();
  return std::make_unique<MovesOf<TripledOf<Pack>>>();
}

}  // namespace gradproof
