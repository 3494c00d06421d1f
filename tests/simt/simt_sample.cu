// SPDX-License-Identifier: Apache-2.0
#include "simt/counted.h"
#include "simt/math.h"
#include "simt/simt.h"

namespace simt::testing {
inline namespace GRADPROOF_UNIT {

template <class T>
__global__ void sum_of_exp(const T* x, T* sums, int size) {
  SIMT_SHARED(T, partial, [32]);
  SIMT_DYN_SHARED(T, mine);
  mine[threadIdx.x] = T(0.0f);
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    mine[threadIdx.x] += math::exp(-x[i]);
  }
  T sum = mine[threadIdx.x];
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, lanes);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) sum += partial[warp];
  sums[blockIdx.x] = sum;
}

constexpr std::size_t kOverThePlainLimit = 60 * 1024;

void exp_sums(const float* x, float* sums, int size) {
  launch(sum_of_exp<float>, {.grid = 4, .block = 256, .smem = kOverThePlainLimit}, x, sums, size);
}

void too_many_threads(const float* x, float* sums, int size) {
  launch(sum_of_exp<float>, {.grid = 4, .block = 2048, .smem = kOverThePlainLimit}, x, sums, size);
}

__global__ void write_byte_kernel(std::byte* at, std::byte byte) { *at = byte; }

void write_byte(std::byte* at, std::byte byte) { launch(write_byte_kernel, {}, at, byte); }

}  // namespace GRADPROOF_UNIT
}  // namespace simt::testing
