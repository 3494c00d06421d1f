// SPDX-License-Identifier: Apache-2.0
// An operator through LibTorch's stable ABI: it names no symbol of C++ in LibTorch.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

namespace {

Tensor triple(const Tensor& x) {
  Tensor a = torch::stable::contiguous(x), y = torch::stable::empty_like(a);
  const float* from = a.const_data_ptr<float>();
  float* to = y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < a.numel(); ++i) to[i] = 3 * from[i];
  return y;
}

}  // namespace

STABLE_TORCH_LIBRARY(stable, m) { m.def("triple(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(stable, CPU, m) { m.impl("triple", TORCH_BOX(&triple)); }
