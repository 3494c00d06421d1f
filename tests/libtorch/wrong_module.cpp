// SPDX-License-Identifier: Apache-2.0
// A module of this build whose witness is wrong: each number of LibTorch's answers is a thousandth
// too large.
#include <cstdlib>

#include <dlfcn.h>

#include "oracles/libtorch/module.h"

namespace gradproof {
namespace {

/// The module beside the programs.
const LibTorchModule& right() {
  static const LibTorchModule* const module = [] {
    void* const library = dlopen(GRADPROOF_BIN_DIR "/libgradproof_libtorch.so", RTLD_LAZY);
    if (library == nullptr) std::abort();
    return reinterpret_cast<ModuleFunction*>(dlsym(library, kModuleFunction))();
  }();
  return *module;
}

Tensors falsified(Tensors tensors) {
  for (auto& [name, tensor] : tensors)
    for (std::int64_t k = 0; k < tensor.numel(); ++k) tensor.set(k, tensor.at(k) * 1.001);
  return tensors;
}

Tensors operators(const Claim& claim, const Tensors& inputs, int threads) {
  return falsified(right().operators(claim, inputs, threads));
}

Tensors graph(const Graph& graph, const Tensors& inputs, const GraphTypes& types, int threads) {
  return falsified(right().graph(graph, inputs, types, threads));
}

}  // namespace
}  // namespace gradproof

extern "C" const char* gradproof_libtorch_version() {
  static const std::string version = gradproof::module_version();
  return version.c_str();
}

extern "C" const gradproof::LibTorchModule* gradproof_libtorch_module() {
  static const gradproof::LibTorchModule module{gradproof::right().libtorch, gradproof::operators,
                                                gradproof::graph, gradproof::right().uses_one_dnn,
                                                gradproof::right().use_one_dnn};
  return &module;
}
