// SPDX-License-Identifier: Apache-2.0
// y = gelu(x / rms(x) * weight + bias) over rows, a warp a row, and its backward.
#include "kernels/own/own_kernel.h"
#include "simt/simt.h"

namespace {

constexpr float kEps = 1e-6f;

__device__ float sum_of_warp(float value) {
  for (int lanes = 16; lanes > 0; lanes /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, lanes);
  return value;
}

__device__ float rms_reciprocal(const float* row, int cols) {
  float squares = 0;
  for (int j = static_cast<int>(threadIdx.x); j < cols; j += 32) squares += row[j] * row[j];
  return 1 / sqrtf(sum_of_warp(squares) / static_cast<float>(cols) + kEps);
}

__global__ void forward(const float* x, const float* weight, const float* bias, float* y,
                        float* saved, int cols) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(cols);
  const float rstd = rms_reciprocal(x + first, cols);
  if (threadIdx.x == 0) saved[blockIdx.x] = rstd;
  for (int j = static_cast<int>(threadIdx.x); j < cols; j += 32) {
    const float z = x[first + j] * rstd * weight[j] + bias[j];
    y[first + j] = 0.5f * z * (1 + erff(z * 0.70710678f));
  }
}

/// dy gelu'(z), the cotangent of z.
__device__ float gelu_backward(float z, float dy) {
  const float cdf = 0.5f * (1 + erff(z * 0.70710678f));
  return dy * (cdf + z * 0.39894228f * expf(-0.5f * z * z));
}

__global__ void backward_x(const float* x, const float* weight, const float* bias, const float* dy,
                           const float* saved, float* d_x, int cols) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(cols);
  const float rstd = saved[blockIdx.x];
  float sum = 0;
  for (int j = static_cast<int>(threadIdx.x); j < cols; j += 32) {
    const float xhat = x[first + j] * rstd;
    sum += gelu_backward(xhat * weight[j] + bias[j], dy[first + j]) * weight[j] * xhat;
  }
  const float mean = sum_of_warp(sum) / static_cast<float>(cols);
  for (int j = static_cast<int>(threadIdx.x); j < cols; j += 32) {
    const float xhat = x[first + j] * rstd;
    const float g = gelu_backward(xhat * weight[j] + bias[j], dy[first + j]) * weight[j];
    d_x[first + j] = (g - xhat * mean) * rstd;
  }
}

__global__ void backward_parameters(const float* x, const float* weight, const float* bias,
                                    const float* dy, const float* saved, float* d_weight,
                                    float* d_bias, int rows, int cols) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= cols) return;
  float weight_sum = 0, bias_sum = 0;
  for (int i = 0; i < rows; ++i) {
    const std::size_t at =
        static_cast<std::size_t>(i) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(j);
    const float xhat = x[at] * saved[i];
    const float g = gelu_backward(xhat * weight[j] + bias[j], dy[at]);
    weight_sum += g * xhat;
    bias_sum += g;
  }
  d_weight[j] = weight_sum;
  d_bias[j] = bias_sum;
}

}  // namespace

// The function below tells gradproof about the kernel.
namespace GRADPROOF_UNIT {

gradproof::OwnKernel rms_bias_gelu() {
  return {.word = "rms_bias_gelu",
          .pipeline = "y = gelu(bias(rms_norm(x[rows,cols], weight, eps=1e-6), bias))",
          .contract = "statistics=lanes:32 gradients=lanes:32",
          .forward =
              [](const gradproof::Call& c) {
                const auto p = [&](const char* name) { return c.view(name).as<float>(); };
                simt::launch(
                    forward, {.grid = unsigned(c.extent("rows")), .block = 32, .stream = c.stream},
                    p("x"), p("weight"), p("bias"), p("y"), p("rstd"), int(c.extent("cols")));
              },
          .backward =
              [](const gradproof::Call& c) {
                const auto p = [&](const char* name) { return c.view(name).as<float>(); };
                const int rows = int(c.extent("rows")), cols = int(c.extent("cols"));
                simt::launch(backward_x, {.grid = unsigned(rows), .block = 32, .stream = c.stream},
                             p("x"), p("weight"), p("bias"), p("dy"), p("rstd"), p("d_x"), cols);
                simt::launch(backward_parameters,
                             {.grid = unsigned(cols + 127) / 128, .block = 128, .stream = c.stream},
                             p("x"), p("weight"), p("bias"), p("dy"), p("rstd"), p("d_weight"),
                             p("d_bias"), rows, cols);
              },
          .saved = {{"rstd", {"rows"}}}};
}

}  // namespace GRADPROOF_UNIT
