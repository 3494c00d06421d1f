// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <fmt/format.h>

#include "core/claim/claim.h"
#include "core/graph/graph_types.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// The functions of libgradproof_libtorch.so, the one file of gradproof's own that a worker loads
/// and that links LibTorch (oracles/libtorch/load.h). The module has a copy of the code it uses
/// from core/, and none of it is exported: each call passes a number of threads, because
/// thread_limit() of the copy is a separate one. Types and exceptions are those of the headers that
/// both sides include; both must be of one build, and module_version() tells.
struct LibTorchModule {
  const char* libtorch;  ///< the version of its headers: "2.11.0"
  Tensors (*operators)(const Claim& claim, const Tensors& inputs, int threads);
  Tensors (*graph)(const Graph& graph, const Tensors& inputs, const GraphTypes& types, int threads);
  bool (*uses_one_dnn)();
  void (*use_one_dnn)(bool wanted);
};

/// The functions that the module exports, by name: module_version() of its build, and the rest.
using ModuleVersionFunction = const char*();
using ModuleFunction = const LibTorchModule*();
inline constexpr const char* kModuleVersionFunction = "gradproof_libtorch_version";
inline constexpr const char* kModuleFunction = "gradproof_libtorch_module";
inline constexpr const char* kModuleFile = "libgradproof_libtorch.so";

/// gradproof's version with the sizes of the types that both sides exchange: by it a module of
/// another build is refused if such a type has changed its size.
inline std::string module_version() {
  return fmt::format("{}, {} {} {} {} {}", GRADPROOF_VERSION, sizeof(LibTorchModule), sizeof(Claim),
                     sizeof(Graph), sizeof(GraphTypes), sizeof(Tensor));
}

}  // namespace gradproof
