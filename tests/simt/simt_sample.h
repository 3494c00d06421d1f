// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// A kernel that lives twice in one program: compiled by g++ for the executor and, with CUDA, by
/// nvcc for the device.
namespace simt::testing {

/// sums[b] = sum over i < size of exp(-x[i]), for 4 blocks. Both asynchronous on the device.
using ExpSums = void (*)(const float* x, float* sums, int size);

/// *at = byte, by one thread.
using WriteByte = void (*)(std::byte* at, std::byte byte);

namespace host {
void write_byte(std::byte* at, std::byte byte);
void exp_sums(const float* x, float* sums, int size);
void too_many_threads(const float* x, float* sums, int size);
}  // namespace host

namespace device {
void write_byte(std::byte* at, std::byte byte);
void exp_sums(const float* x, float* sums, int size);
void too_many_threads(const float* x, float* sums, int size);
}  // namespace device

}  // namespace simt::testing
