# SPDX-License-Identifier: Apache-2.0
"""swish(x + bias). Wrong: the bias, of a number for each column, is read by the number of the row and column."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void swish_bias_kernel(const float* x, const float* bias, float* y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    float v = x[i] + bias[i];
    y[i] = v / (1.0f + expf(-v));
}

torch::Tensor swish_bias(torch::Tensor x, torch::Tensor bias) {
    auto y = torch::empty_like(x);
    int rows = x.size(0), cols = x.size(1), n = rows * cols;
    swish_bias_kernel<<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
    return y;
}
"""
module = load_inline("swish_bias_ext", "torch::Tensor swish_bias(torch::Tensor x, torch::Tensor bias);", source,
                     functions=["swish_bias"])


class Model(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(cols))

    def forward(self, x):
        return torch.nn.functional.silu(x + self.bias)


class ModelNew(nn.Module):
    def __init__(self, cols):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(cols))

    def forward(self, x):
        return module.swish_bias(x, self.bias)


def get_inputs():
    return [torch.randn(32, 96)]


def get_init_inputs():
    return [96]
