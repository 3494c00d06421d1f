// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver_types.h>

#include "simt/memory/buffer.h"

namespace simt {

/// A stream of the back-end, as a caller of kernels has one. On the device nothing waits for it,
/// not even the default stream: synchronise the device after uploads, and this stream before
/// downloads. The executor, whose launches return when they are done, needs only the handle, to
/// compare it (Options::stream).
class Stream {
 public:
  /// Throws NoDevice for Backend::cuda in a build without CUDA or on a machine without a device.
  explicit Stream(Backend backend);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The stream's handle, which is never null; in the executor it is opaque.
  cudaStream_t handle() const { return handle_; }
  /// Waits for everything launched here. Throws LaunchError if a kernel failed meanwhile.
  void synchronize() const;

 private:
  Backend backend_;
  cudaStream_t handle_;
};

}  // namespace simt
