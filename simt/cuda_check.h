// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <string>

#include <cuda_runtime_api.h>

#include "simt/launch.h"
#include "simt/memory/buffer.h"

namespace simt {

/// Throws NoDevice, std::bad_alloc or LaunchError for a CUDA error; `what` says what was called.
inline void check_cuda(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const std::string text = std::string(what) + ": " + cudaGetErrorString(error);
  switch (error) {
    case cudaErrorMemoryAllocation:
      static_cast<void>(cudaGetLastError());
      throw std::bad_alloc();
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
      throw NoDevice(text);
    default:
      throw LaunchError(text);
  }
}

}  // namespace simt
