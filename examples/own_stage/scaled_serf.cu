// SPDX-License-Identifier: Apache-2.0
// Serf, x erf(log(1 + e^x)) (Nag, Bhattacharyya 2021, arXiv:2108.09598), of x times a weight for
// each column. gradproof has no such stage: the pipeline's line defines it.
#include "kernels/own/own_kernel.h"
#include "simt/simt.h"

namespace {

__device__ float softplus(float z) { return fmaxf(z, 0.0f) + log1pf(expf(-fabsf(z))); }

__global__ void forward(const float* x, const float* weight, float* y, int count, int cols) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float z = x[i] * weight[i % cols];
  y[i] = z * erff(softplus(z));
}

/// erf(s) + z erf'(s) sigmoid(z), s = log(1 + e^z).
__device__ float slope(float z) {
  const float s = softplus(z);
  const float t = expf(-fabsf(z));
  const float sigmoid = (z > 0 ? 1.0f : t) / (1.0f + t);
  return erff(s) + z * (1.12837917f * expf(-s * s)) * sigmoid;
}

__global__ void backward_x(const float* x, const float* weight, const float* dy, float* d_x,
                           int count, int cols) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const float w = weight[i % cols];
  d_x[i] = dy[i] * slope(x[i] * w) * w;
}

__global__ void backward_weight(const float* x, const float* weight, const float* dy,
                                float* d_weight, int count, int cols) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= cols) return;
  float sum = 0;
  for (int i = j; i < count; i += cols) sum += dy[i] * slope(x[i] * weight[j]) * x[i];
  d_weight[j] = sum;
}

simt::Launch over(int threads, const gradproof::Call& c) {
  return {.grid = unsigned(threads + 127) / 128, .block = 128, .stream = c.stream};
}

}  // namespace

// The function below tells gradproof about the kernel.
namespace GRADPROOF_UNIT {

gradproof::OwnKernel scaled_serf() {
  return {.word = "scaled_serf",
          .pipeline =
              "serf(t) := multiply(t, erf(softplus(t)));"
              "y = serf(scale(x[rows,cols], weight))",
          .forward =
              [](const gradproof::Call& c) {
                const auto p = [&](const char* name) { return c.view(name).as<float>(); };
                const int cols = int(c.extent("cols")), count = int(c.extent("rows")) * cols;
                simt::launch(forward, over(count, c), p("x"), p("weight"), p("y"), count, cols);
              },
          .backward =
              [](const gradproof::Call& c) {
                const auto p = [&](const char* name) { return c.view(name).as<float>(); };
                const int cols = int(c.extent("cols")), count = int(c.extent("rows")) * cols;
                simt::launch(backward_x, over(count, c), p("x"), p("weight"), p("dy"), p("d_x"),
                             count, cols);
                simt::launch(backward_weight, over(cols, c), p("x"), p("weight"), p("dy"),
                             p("d_weight"), count, cols);
              }};
}

}  // namespace GRADPROOF_UNIT
