# SPDX-License-Identifier: Apache-2.0
"""BatchNorm in training by one block a channel. Wrong: it divides by the variance that torch keeps for later, of N - 1."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void bn_kernel(const float* x, const float* weight, const float* bias, float* y,
                          int n, int channels, int area, float eps) {
    __shared__ float sums[256];
    int c = blockIdx.x, tid = threadIdx.x, count = n * area;
    float sum = 0;
    for (int i = tid; i < count; i += blockDim.x)
        sum += x[(i / area * channels + c) * area + i % area];
    sums[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sums[tid] += sums[tid + s];
        __syncthreads();
    }
    float mean = sums[0] / count;
    __syncthreads();
    sum = 0;
    for (int i = tid; i < count; i += blockDim.x) {
        float d = x[(i / area * channels + c) * area + i % area] - mean;
        sum += d * d;
    }
    sums[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sums[tid] += sums[tid + s];
        __syncthreads();
    }
    float inverse = rsqrtf(sums[0] / (count - 1) + eps);
    for (int i = tid; i < count; i += blockDim.x) {
        int at = (i / area * channels + c) * area + i % area;
        y[at] = (x[at] - mean) * inverse * weight[c] + bias[c];
    }
}

torch::Tensor bn_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, float eps) {
    auto y = torch::empty_like(x);
    int n = x.size(0), channels = x.size(1), area = x.numel() / n / channels;
    auto stream = at::cuda::getCurrentCUDAStream();
    bn_kernel<<<channels, 256, 0, stream>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
                                            y.data_ptr<float>(), n, channels, area, eps);
    return y;
}
"""
bn = load_inline(name="bn", cpp_sources="torch::Tensor bn_forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, float eps);",
                 cuda_sources=cuda_source, functions=["bn_forward"])


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, track_running_stats=False)

    def forward(self, x):
        return self.norm(x)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, track_running_stats=False)

    def forward(self, x):
        return bn.bn_forward(x.contiguous(), self.norm.weight, self.norm.bias, self.norm.eps)


def get_inputs():
    return [torch.rand(8, 5, 6, 6)]


def get_init_inputs():
    return [5]
