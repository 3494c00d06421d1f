// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parts of torch's CUDA headers about streams, devices and errors, for the executor: one
/// device, one stream, the caller's, and no error, because a launch that has one throws.
#include <cstdint>

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

#include "runtime.h"
#include "simt/extension/launch.h"

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t handle) : handle_(handle) {}
  operator cudaStream_t() const { return handle_; }
  cudaStream_t stream() const { return handle_; }
  c10::DeviceIndex device_index() const { return 0; }
  void synchronize() const {}
  bool query() const { return true; }

 private:
  cudaStream_t handle_;
};

inline CUDAStream getCurrentCUDAStream(int = -1) {
  return CUDAStream(simt::extension::caller_stream());
}
inline CUDAStream getDefaultCUDAStream(int = -1) { return CUDAStream(nullptr); }
inline c10::DeviceIndex current_device() { return 0; }
inline c10::DeviceIndex device_count() { return 1; }
inline void set_device(int) {}
inline void device_synchronize() {}

struct CUDAGuard {
  template <class... A>
  explicit CUDAGuard(const A&...) {}
  template <class A>
  void set_device(const A&) {}
};
struct OptionalCUDAGuard : CUDAGuard {
  using CUDAGuard::CUDAGuard;
};
struct CUDAStreamGuard : CUDAGuard {
  using CUDAGuard::CUDAGuard;
};

}  // namespace c10::cuda

namespace at {
using c10::cuda::CUDAStreamGuard;
}
namespace at::cuda {

using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::current_device;
using c10::cuda::device_count;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::set_device;

inline bool is_available() { return true; }
inline const cudaDeviceProp* getCurrentDeviceProperties() {
  static const cudaDeviceProp properties = gradproof_runtime::properties();
  return &properties;
}

}  // namespace at::cuda
namespace torch::cuda {
inline bool is_available() { return true; }
inline std::size_t device_count() { return 1; }
inline void synchronize(std::int64_t = -1) {}
}  // namespace torch::cuda

namespace at {
/// torch has it for compilers of CUDA alone.
template <class T>
struct RestrictPtrTraits {
  using PtrType = T* __restrict__;
};

}  // namespace at

#define C10_CUDA_CHECK(expression) static_cast<void>(expression)
#define C10_CUDA_CHECK_WARN(expression) static_cast<void>(expression)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() static_cast<void>(0)
#define AT_CUDA_CHECK(expression) static_cast<void>(expression)
#define TORCH_CUDA_CHECK(expression) static_cast<void>(expression)
#undef CUDA_KERNEL_ASSERT
#define CUDA_KERNEL_ASSERT(expression) assert(expression)
#undef C10_LAUNCH_BOUNDS_0
#undef C10_LAUNCH_BOUNDS_1
#undef C10_LAUNCH_BOUNDS_2
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks)
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                          \
  for (type i = static_cast<type>(blockIdx.x) * blockDim.x + threadIdx.x; i < (n); \
       i += static_cast<type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
