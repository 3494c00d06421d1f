// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>

#include <driver_types.h>
#include <vector_types.h>

namespace simt {

/// The place and size of a launch: blocks, threads of a block, bytes of dynamic shared memory, and
/// the stream (which the executor only compares with Options::stream).
struct Launch {
  dim3 grid{1};
  dim3 block{1};
  std::size_t smem = 0;
  cudaStream_t stream = nullptr;
  dim3 cluster{1};  ///< reserved: blocks of a cluster; anything but 1 is refused today
};

/// The device refused or broke a launch; the text holds the kernel, its launch and the CUDA error.
struct LaunchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace simt
