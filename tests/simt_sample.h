// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A kernel that lives twice in one program: compiled by g++ for the executor and, with CUDA, by
/// nvcc for the device.
namespace simt::testing {

/// sums[b] = sum over i < size of exp(-x[i]), for 4 blocks. Both asynchronous on the device.
using ExpSums = void (*)(const float* x, float* sums, int size);

namespace host {
void exp_sums(const float* x, float* sums, int size);
void too_many_threads(const float* x, float* sums, int size);
}  // namespace host

namespace device {
void exp_sums(const float* x, float* sums, int size);
void too_many_threads(const float* x, float* sums, int size);
}  // namespace device

}  // namespace simt::testing
