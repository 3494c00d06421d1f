// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver_types.h>

#include "simt/memory/buffer.h"

namespace simt {

/// A stream of the back-end, as a caller of kernels has one. On the device nothing waits for it,
/// the default stream least of all: synchronise the device after uploads, and this stream before
/// downloads. The executor, whose launches return when they are done, needs only the handle, to
/// compare it (Options::stream).
class Stream {
 public:
  /// Throws NoDevice.
  explicit Stream(Backend backend);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Never null. Opaque in the executor.
  cudaStream_t handle() const { return handle_; }
  /// Waits for everything launched here. Throws LaunchError when a kernel failed meanwhile.
  void synchronize() const;

 private:
  Backend backend_;
  cudaStream_t handle_;
};

}  // namespace simt
