// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/module.h"

#include <ATen/Context.h>
#include <torch/version.h>

#include "oracles/libtorch/answers.h"

namespace gradproof {
namespace {

bool uses_one_dnn() { return at::globalContext().userEnabledMkldnn(); }
void use_one_dnn(bool wanted) { at::globalContext().setUserEnabledMkldnn(wanted); }

}  // namespace
}  // namespace gradproof

extern "C" const char* gradproof_libtorch_version() {
  static const std::string version = gradproof::module_version();
  return version.c_str();
}

extern "C" const gradproof::LibTorchModule* gradproof_libtorch_module() {
  static const gradproof::LibTorchModule module{TORCH_VERSION, gradproof::answer_operators,
                                                gradproof::answer_graph, gradproof::uses_one_dnn,
                                                gradproof::use_one_dnn};
  return &module;
}
