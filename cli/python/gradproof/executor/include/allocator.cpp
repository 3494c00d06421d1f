// SPDX-License-Identifier: Apache-2.0
/// Torch's tensors in the executor's memory: each lies between guard bands, and begins as NaN.
/// Compiled against the torch of the Python that loads it.
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include "simt/extension/control.h"

namespace {

class ExecutorAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    const c10::Device device(c10::DeviceType::CPU);
    if (bytes == 0) return {nullptr, nullptr, &gradproof_executor_free, device};
    void* const memory = gradproof_executor_allocate(bytes);
    TORCH_CHECK(memory != nullptr, "out of memory: ", bytes, " bytes");
    return {memory, memory, &gradproof_executor_free, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &gradproof_executor_free; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

ExecutorAllocator allocator;

}  // namespace

extern "C" void gradproof_executor_take_tensors() { c10::SetCPUAllocator(&allocator, 255); }
