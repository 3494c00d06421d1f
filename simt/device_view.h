// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "simt/launch.h"
#include "simt/view.h"

/// `SIMT_SHARED(float, tile, [32][33]);` declares static shared memory of the block.
#define SIMT_SHARED(T, name, ...) __shared__ T name __VA_ARGS__

/// `SIMT_DYN_SHARED(float, tile);` names the block's dynamic shared memory as a pointer to T.
#define SIMT_DYN_SHARED(T, name)                                        \
  extern __shared__ __align__(16) unsigned char simt_dynamic_shared_[]; \
  T* const name = reinterpret_cast<T*>(simt_dynamic_shared_)

namespace simt {
inline namespace SIMT_VIEW {

inline std::string describe(const void* kernel, const Launch& launch) {
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) != cudaSuccess) name = "unknown kernel";
  const auto extent = [](dim3 d) {
    return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
  };
  return std::string(name) + " <<<" + extent(launch.grid) + ", " + extent(launch.block) + ", " +
         std::to_string(launch.smem) + " bytes>>>";
}

inline void check_launch(cudaError_t error, const void* kernel, const Launch& launch) {
  if (error == cudaSuccess) return;
  throw LaunchError(describe(kernel, launch) + ": " + cudaGetErrorString(error));
}

/// Enqueues the kernel on `launch.stream` and returns at once: the caller synchronises.
/// Throws LaunchError if the configuration is refused or an earlier error is pending.
template <class... P, class... A>
void launch(void (*kernel)(P...), const Launch& launch, A&&... arguments) {
  constexpr std::size_t kWithoutOptIn = 48 * 1024;
  const void* const entry = reinterpret_cast<const void*>(kernel);
  if (launch.smem > kWithoutOptIn) {
    const auto bytes = static_cast<int>(launch.smem);
    const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    check_launch(cudaFuncSetAttribute(entry, attribute, bytes), entry, launch);
  }
  kernel<<<launch.grid, launch.block, launch.smem, launch.stream>>>(
      static_cast<P>(std::forward<A>(arguments))...);
  check_launch(cudaGetLastError(), entry, launch);
}

}  // namespace SIMT_VIEW
}  // namespace simt
