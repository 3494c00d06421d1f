// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "simt/counted.h"
#include "tests/support/catalog.h"

namespace gradproof {

using simt::Counted;

/// A kernel's tensors for a Case, contiguous, in numbers that count, and the call of them; results
/// are 0.5 until they are written.
struct CountedMemory {
  explicit CountedMemory(const Case& c) : claim(kernel_of(c).claim(c)), call(kernel_of(c).call(c)) {
    for (const auto& [name, tensor] : make_inputs(c, claim))
      for (std::int64_t i = 0; i < tensor.numel(); ++i)
        numbers[name].emplace_back(static_cast<float>(tensor.at(i)));
    for (const TensorSpec& spec : claim.tensors) place(spec.name, spec.layout.shape);
    const std::size_t scratch = kernel_of(c).workspace(call) / sizeof(float);
    place("workspace", {static_cast<std::int64_t>(scratch)});
  }

  std::int64_t declared(const std::string& reduction) const {
    return claim.contract.reduction(reduction).chain;
  }

  Claim claim;
  Call call;
  std::map<std::string, std::vector<Counted>> numbers;

 private:
  void place(const std::string& name, const Shape& shape) {
    std::vector<Counted>& memory = numbers[name];
    memory.resize(static_cast<std::size_t>(numel(shape)), 0.5f);
    call.views[name] = {memory.data(), DType::f32, shape, Layout::contiguous(shape).strides};
  }
};

}  // namespace gradproof
