// SPDX-License-Identifier: Apache-2.0
// Stands in for the witness in a worker without LibTorch, which carries 390 MB of libraries less.
#include "core/error.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {

Tensors libtorch_operators(const Claim&, const Tensors&) { throw InstrumentError(kNoLibTorch); }

Tensors autograd_witness(const Claim&, const Tensors&) { throw InstrumentError(kNoLibTorch); }

Tensors graph_in_libtorch(const Graph&, const Tensors&, const GraphTypes&) {
  throw NoOperator(kNoLibTorch);
}

std::string libtorch_version() { return "none"; }

bool has_libtorch() { return false; }

}  // namespace gradproof
