// SPDX-License-Identifier: Apache-2.0
// Operators of CUDA tensors alone, a right one and two that are wrong on purpose:
// tests/python/library_cuda_test.py.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

namespace {

__global__ void multiply(const float* x, float* y, int64_t count) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 3 * x[i];
}

at::Tensor launched(const at::Tensor& given, int64_t left_out, cudaStream_t stream) {
  const at::Tensor x = given.contiguous();
  at::Tensor y = at::empty_like(x);
  const int64_t count = x.numel() - left_out;
  if (count > 0)
    multiply<<<unsigned((count + 255) / 256), 256, 0, stream>>>(x.const_data_ptr<float>(),
                                                                y.mutable_data_ptr<float>(), count);
  return y;
}

at::Tensor triple(const at::Tensor& x) { return launched(x, 0, c10::cuda::getCurrentCUDAStream()); }
at::Tensor on_the_default_stream(const at::Tensor& x) { return launched(x, 0, nullptr); }
at::Tensor all_but_the_last(const at::Tensor& x) {
  return launched(x, 1, c10::cuda::getCurrentCUDAStream());
}

}  // namespace

TORCH_LIBRARY(on_device, m) {
  m.def("triple(Tensor x) -> Tensor");
  m.def("on_the_default_stream(Tensor x) -> Tensor");
  m.def("all_but_the_last(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(on_device, CUDA, m) {
  m.impl("triple", triple);
  m.impl("on_the_default_stream", on_the_default_stream);
  m.impl("all_but_the_last", all_but_the_last);
}
