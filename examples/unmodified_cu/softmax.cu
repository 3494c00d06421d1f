// SPDX-License-Identifier: Apache-2.0
// Softmax over rows as one writes it for nvcc: nothing of gradproof is in this file.
#include <cuda_runtime.h>
#include <math.h>

__device__ float warp_max(float value) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, lanes));
  return value;
}

template <int THREADS>
__global__ void softmax_forward_kernel(const float* x, float* y, int cols) {
  __shared__ float parts[THREADS / 32];
  __shared__ float total;
  extern __shared__ float row[];
  const float* from = x + (size_t)blockIdx.x * cols;
  float largest = -INFINITY;
  for (int j = threadIdx.x; j < cols; j += THREADS) largest = fmaxf(largest, row[j] = from[j]);
  largest = warp_max(largest);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = largest;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int w = 0; w < THREADS / 32; ++w) largest = fmaxf(largest, parts[w]);
  float sum = 0;
  for (int j = threadIdx.x; j < cols; j += THREADS) sum += row[j] = expf(row[j] - largest);
  atomicAdd(&total, sum);
  __syncthreads();
  for (int j = threadIdx.x; j < cols; j += THREADS)
    y[(size_t)blockIdx.x * cols + j] = row[j] / total;
}

__global__ void softmax_backward_kernel(const float* y, const float* dy, float* dx, int cols) {
  const size_t first = (size_t)blockIdx.x * cols;
  float sum = 0;
  for (int j = threadIdx.x; j < cols; j += 32) sum += dy[first + j] * y[first + j];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
  for (int j = threadIdx.x; j < cols; j += 32) dx[first + j] = y[first + j] * (dy[first + j] - sum);
}

void softmax_forward(const float* x, float* y, int rows, int cols, cudaStream_t stream) {
  softmax_forward_kernel<128><<<rows, 128, cols * sizeof(float), stream>>>(x, y, cols);
}

void softmax_backward(const float* y, const float* dy, float* dx, int rows, int cols,
                      cudaStream_t stream) {
  softmax_backward_kernel<<<rows, 32, 0, stream>>>(y, dy, dx, cols);
}
