// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog/entries.h"

#include "host_kernels.h"
#if defined(GRADPROOF_WITH_CUDA)
#include "device_kernels.h"
#endif

namespace gradproof {
namespace {

#if !defined(GRADPROOF_WITH_CUDA)
[[noreturn]] void no_device(const Call&) {
  throw simt::NoDevice("device=cuda: this program was built without CUDA");
}

std::vector<KernelUnit> device_kernels() {
  std::vector<KernelUnit> all = host_kernels();
  for (KernelUnit& unit : all) unit.kernel.entry = {{no_device, no_device}, {}};
  return all;
}
#endif

EntryPoints by_backend(const EntryPoints& cpu, const EntryPoints& cuda) {
  const auto either = [](const EntryPoints::Function& on_cpu,
                         const EntryPoints::Function& on_cuda) {
    return [=](const Call& call) { (call.backend == simt::Backend::cpu ? on_cpu : on_cuda)(call); };
  };
  return {either(cpu.forward, cuda.forward), either(cpu.backward, cuda.backward)};
}

}  // namespace

std::vector<ProductUnit> product_units() {
  const std::vector<KernelUnit> on_device = device_kernels();
  std::vector<ProductUnit> all;
  for (const auto& [unit, kernel] : host_kernels())
    all.push_back({kernel, by_backend(kernel.entry, on_device.at(all.size()).kernel.entry)});
  return all;
}

}  // namespace gradproof
