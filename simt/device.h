// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "simt/memory/buffer.h"

namespace simt {

/// The CUDA device that kernels would run on.
struct DeviceInfo {
  std::string name;     ///< "NVIDIA H200"
  std::string arch;     ///< "sm_90"
  std::string driver;   ///< CUDA version the driver speaks: "13.0"
  std::string runtime;  ///< CUDA version this program was linked with
};

/// Returns nothing if there is no device or no driver, or the program was built without CUDA.
std::optional<DeviceInfo> device_info();

/// Waits for everything launched. On the CPU there is nothing to wait for, because launches return
/// when they are done. Throws LaunchError if a kernel on the device failed meanwhile.
void synchronize(Backend backend);

/// True if a call on this thread failed on the device. Errors such as an illegal address stay for
/// as long as the process lives, and every later call fails with them.
bool device_has_erred();

/// Median milliseconds that the device spends on the work that `enqueue` puts into the default
/// stream, after one warm-up. Throws NoDevice.
double time_on_device(const std::function<void()>& enqueue, int repeats);

/// The rate in GB/s of a copy within the device's memory, with reads and writes counted: an upper
/// bound for a memory-bound kernel.
double copy_rate(std::size_t bytes, int repeats);

}  // namespace simt
