# SPDX-License-Identifier: Apache-2.0
"""Sums of rows by atomics of several blocks, into memory that a memset clears. Right: its bits depend on the blocks' order."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void row_sums_kernel(const float* x, float* y, int cols) {
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cols; i += gridDim.x * blockDim.x)
        sum += x[(long)blockIdx.y * cols + i];
    for (int lanes = warpSize / 2; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffff, sum, lanes);
    if ((threadIdx.x & 31) == 0) atomicAdd(y + blockIdx.y, sum);
}

torch::Tensor row_sums(torch::Tensor x) {
    auto stream = at::cuda::getCurrentCUDAStream();
    auto y = torch::empty({x.size(0)}, x.options());
    cudaMemsetAsync(y.data_ptr(), 0, y.nbytes(), stream);
    row_sums_kernel<<<dim3(4, x.size(0)), 64, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), (int)x.size(1));
    return y;
}
"""
module = load_inline(name="row_sums_ext", cpp_sources=["torch::Tensor row_sums(torch::Tensor x);"], cuda_sources=[source],
                     functions=["row_sums"])


class Model(nn.Module):
    def forward(self, x):
        return torch.sum(x, dim=1)


class ModelNew(nn.Module):
    def forward(self, x):
        return module.row_sums(x)


def get_inputs():
    return [torch.randn(20, 700)]


def get_init_inputs():
    return []
