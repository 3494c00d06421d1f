// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set.
#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/bounding.h"
#include "tools/bench/reader.h"

namespace gradproof {

template <>
ReaderPair readers_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(const Claim& claim,
                                                                 const CompiledPipeline& compiled) {
  using TruthArithmetic = Plain<CertifiedOf<Pack>>;
  using BoundArithmetic = Bounding<Binary32, Pack>;
  return {std::make_unique<TextReader<TruthArithmetic, Pack>>(compiled, TruthArithmetic()),
          std::make_unique<TextReader<BoundArithmetic, Pack>>(compiled, BoundArithmetic(claim))};
}

}  // namespace gradproof
