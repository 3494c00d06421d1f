// SPDX-License-Identifier: Apache-2.0
// The questions to LibTorch, passed on to the module.
#include "core/error.h"
#include "core/parallel.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"
#include "oracles/libtorch/load.h"
#include "oracles/libtorch/module.h"

namespace gradproof {

Tensors libtorch_operators(const Claim& claim, const Tensors& inputs) {
  const LibTorchModule* const module = libtorch_module();
  if (module == nullptr) throw InstrumentError(kNoLibTorch);
  return module->operators(claim, inputs, thread_limit());
}

Tensors autograd_witness(const Claim& claim, const Tensors& inputs) {
  return libtorch_operators(as_libtorch_float64(claim), inputs);
}

Tensors graph_in_libtorch(const Graph& graph, const Tensors& inputs, const GraphTypes& types) {
  const LibTorchModule* const module = libtorch_module();
  if (module == nullptr) throw NoOperator(kNoLibTorch);
  return module->graph(graph, inputs, types, thread_limit());
}

std::string libtorch_version() {
  const LibTorchModule* const module = libtorch_module();
  return module == nullptr ? "none" : module->libtorch;
}

bool has_libtorch() { return libtorch_module() != nullptr; }

WithoutOneDnn::WithoutOneDnn() {
  const LibTorchModule* const module = libtorch_module();
  if (module == nullptr) return;
  before_ = module->uses_one_dnn();
  module->use_one_dnn(false);
}
WithoutOneDnn::~WithoutOneDnn() {
  if (const LibTorchModule* const module = libtorch_module()) module->use_one_dnn(before_);
}

}  // namespace gradproof
