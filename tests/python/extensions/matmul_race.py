# SPDX-License-Identifier: Apache-2.0
"""The product of matmul.py. Wrong: no barrier between the last read of a tile and the next write to it."""
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

matmul_source = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

#define TILE_SIZE 16

__global__ void matmul_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE_SIZE][TILE_SIZE];
    __shared__ float Bs[TILE_SIZE][TILE_SIZE];

    int row = blockIdx.y * TILE_SIZE + threadIdx.y;
    int col = blockIdx.x * TILE_SIZE + threadIdx.x;
    float value = 0.0f;

    for (int t = 0; t < (K + TILE_SIZE - 1) / TILE_SIZE; ++t) {
        int a = t * TILE_SIZE + threadIdx.x, b = t * TILE_SIZE + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && a < K ? A[row * K + a] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = b < K && col < N ? B[b * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE_SIZE; ++k)
            value += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    }
    if (row < M && col < N) C[row * N + col] = value;
}

torch::Tensor matmul_cuda(torch::Tensor A, torch::Tensor B) {
    int M = A.size(0), K = A.size(1), N = B.size(1);
    auto C = torch::zeros({M, N}, torch::TensorOptions().dtype(A.dtype()).device(torch::kCUDA));
    dim3 block(TILE_SIZE, TILE_SIZE);
    dim3 grid((N + TILE_SIZE - 1) / TILE_SIZE, (M + TILE_SIZE - 1) / TILE_SIZE);
    matmul_kernel<<<grid, block, 0, at::cuda::getCurrentCUDAStream()>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, N, K);
    return C;
}
"""

matmul_cpp_source = "torch::Tensor matmul_cuda(torch::Tensor A, torch::Tensor B);"

matmul = load_inline(name="matmul_race", cpp_sources=matmul_cpp_source, cuda_sources=matmul_source, functions=["matmul_cuda"],
                     verbose=True, extra_cflags=[""], extra_ldflags=[""])


class Model(nn.Module):
    def forward(self, A, B):
        return torch.matmul(A, B)


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.matmul = matmul

    def forward(self, A, B):
        return self.matmul.matmul_cuda(A, B)


def get_inputs():
    return [torch.randn(40, 50), torch.randn(50, 24)]


def get_init_inputs():
    return []
