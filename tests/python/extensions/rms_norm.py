# SPDX-License-Identifier: Apache-2.0
"""RMSNorm, one thread for each column. Wrong: threads beyond the last column go past the barriers of the others."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void rms_norm_kernel(const float* x, const float* weight, float* y, int cols, float eps) {
    __shared__ float shared[256];
    int i = threadIdx.x;
    shared[i] = 0.0f;
    if (i < cols) {
        float v = x[blockIdx.x * cols + i];
        shared[i] = v * v;
        __syncthreads();
        for (int s = 128; s > 0; s /= 2) {
            if (i < s) shared[i] += shared[i + s];
            __syncthreads();
        }
        y[blockIdx.x * cols + i] = v * rsqrtf(shared[0] / cols + eps) * weight[i];
    } else {
        __syncthreads();
    }
}

torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps) {
    auto y = torch::empty_like(x);
    rms_norm_kernel<<<x.size(0), 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), weight.data_ptr<float>(), y.data_ptr<float>(), x.size(1), eps);
    return y;
}
"""
module = load_inline("rms_norm_ext", "torch::Tensor rms_norm(torch::Tensor x, torch::Tensor weight, double eps);", source,
                     functions=["rms_norm"])


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.norm = nn.RMSNorm(cols, eps=1e-6)

    def forward(self, x):
        return self.norm(x)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.norm = nn.RMSNorm(cols, eps=1e-6)

    def forward(self, x):
        return module.rms_norm(x, self.norm.weight, self.norm.eps)


def get_inputs():
    return [torch.randn(16, 200)]


def get_init_inputs():
    return [200]
