// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CUDA's runtime as far as the host part of such files calls it. Memory is the executor's, with
/// guard bands; everything is done when the call returns. These are macros, because the headers
/// that launch.h includes declare the functions, and a library of CUDA may be in the process.
#include <cstddef>
#include <cstring>

#include "simt/extension/control.h"
#include "simt/extension/launch.h"

namespace gradproof_runtime {

template <class T>
cudaError_t allocate(T** memory, std::size_t bytes) {
  *memory = static_cast<T*>(gradproof_executor_allocate(bytes));
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t release(void* memory) {
  gradproof_executor_free(memory);
  return cudaSuccess;
}
template <class... A>
cudaError_t fill(void* memory, int byte, std::size_t bytes, const A&...) {
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}
template <class... A>
cudaError_t copy(void* to, const void* from, std::size_t bytes, const A&...) {
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
template <class T, class... A>
cudaError_t copy_to_symbol(T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                           const A&...) {
  std::memmove(reinterpret_cast<std::byte*>(&symbol) + offset, from, bytes);
  return cudaSuccess;
}
template <class... A>
cudaError_t succeed(const A&...) {
  return cudaSuccess;
}
inline cudaError_t device_of(int* device) {
  *device = 0;
  return cudaSuccess;
}
/// The properties of the device whose limits the executor has.
inline cudaDeviceProp properties() {
  const simt::DeviceProfile profile;
  cudaDeviceProp all{};
  std::strcpy(all.name, "executor");
  all.major = 9;
  all.warpSize = 32;
  all.multiProcessorCount = 132;
  all.maxThreadsPerBlock = static_cast<int>(profile.block_threads);
  all.maxThreadsPerMultiProcessor = 2048;
  all.sharedMemPerBlock = profile.static_shared_bytes;
  all.sharedMemPerBlockOptin = profile.opt_in_shared_bytes;
  return all;
}
inline cudaError_t properties_of(cudaDeviceProp* all, int) {
  *all = properties();
  return cudaSuccess;
}
inline const char* text_of(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "out of memory";
}

}  // namespace gradproof_runtime

#define cudaMalloc gradproof_runtime::allocate
#define cudaFree gradproof_runtime::release
#define cudaMemset gradproof_runtime::fill
#define cudaMemsetAsync gradproof_runtime::fill
#define cudaMemcpy gradproof_runtime::copy
#define cudaMemcpyAsync gradproof_runtime::copy
#define cudaMemcpyToSymbol gradproof_runtime::copy_to_symbol
#define cudaGetDevice gradproof_runtime::device_of
#undef cudaGetDeviceProperties
#define cudaGetDeviceProperties gradproof_runtime::properties_of
#define cudaSetDevice gradproof_runtime::succeed
#define cudaGetErrorString gradproof_runtime::text_of
#define cudaGetErrorName gradproof_runtime::text_of
#define cudaGetLastError gradproof_runtime::succeed<>
#define cudaPeekAtLastError gradproof_runtime::succeed<>
#define cudaDeviceSynchronize gradproof_runtime::succeed<>
#define cudaStreamSynchronize gradproof_runtime::succeed<cudaStream_t>
#define cudaFuncSetAttribute gradproof_runtime::succeed
#undef __constant__
#define __constant__ static
