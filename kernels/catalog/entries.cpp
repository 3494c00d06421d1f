// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/entries.h"

#include "kernels/catalog/entry_points.h"

#define GRADPROOF_DECLARE_PRODUCT(word) \
  GRADPROOF_DECLARE(host, word) GRADPROOF_DECLARE(device, word)

#define GRADPROOF_WORDS(X)       \
  X(bias_divide_swish)           \
  X(batchnorm_bias_divide_swish) \
  X(scale_batchnorm)             \
  X(swish_bias_groupnorm)        \
  X(swish_bias)                  \
  X(groupnorm)                   \
  X(swish_multiply_swish)        \
  X(groupnorm_swish_multiply_swish)

GRADPROOF_WORDS(GRADPROOF_DECLARE_PRODUCT)

namespace gradproof {
namespace {

#if defined(GRADPROOF_WITH_CUDA)
#define GRADPROOF_DEVICE_ENTRY(word) GRADPROOF_ENTRY(device, word)
#else
[[noreturn]] void no_device(const Call&) {
  throw simt::NoDevice("device=cuda: this program was built without CUDA");
}
#define GRADPROOF_DEVICE_ENTRY(word) \
  EntryPoints { no_device, no_device }
#endif

EntryPoints by_backend(const EntryPoints& cpu, const EntryPoints& cuda) {
  const auto either = [](const EntryPoints::Function& on_cpu,
                         const EntryPoints::Function& on_cuda) {
    return [=](const Call& call) { (call.backend == simt::Backend::cpu ? on_cpu : on_cuda)(call); };
  };
  return {either(cpu.forward, cuda.forward), either(cpu.backward, cuda.backward)};
}

}  // namespace

EntryPoints entry_points(const std::string& word) {
#define GRADPROOF_IF_WORD(name) \
  if (word == #name) return by_backend(GRADPROOF_ENTRY(host, name), GRADPROOF_DEVICE_ENTRY(name));
  GRADPROOF_WORDS(GRADPROOF_IF_WORD)
  throw InstrumentError("no kernel '" + word + "' is linked in");
}

}  // namespace gradproof
