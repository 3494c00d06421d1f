// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "simt/cuda_check.h"
#include "simt/device.h"

namespace simt {
namespace {

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// A CUDA event that is destroyed with its scope.
class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() { check_cuda(cudaEventRecord(event_), "cudaEventRecord"); }
  double milliseconds_since(const Event& start) {
    check_cuda(cudaEventSynchronize(event_), "timed kernels");
    float elapsed = 0;
    check_cuda(cudaEventElapsedTime(&elapsed, start.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(elapsed);
  }

 private:
  cudaEvent_t event_{};
};

}  // namespace

std::optional<DeviceInfo> device_info() {
  int devices = 0;
  int driver = 0;
  int runtime = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return std::nullopt;
  int device = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  const int arch = properties.major * 10 + properties.minor;
  return DeviceInfo{properties.name, "sm_" + std::to_string(arch), version(driver),
                    version(runtime)};
}

void synchronize(Backend backend) {
  if (backend == Backend::cuda) check_cuda(cudaDeviceSynchronize(), "a kernel on the device");
}

bool device_has_erred() {
  switch (cudaPeekAtLastError()) {
    case cudaSuccess:
    case cudaErrorNoDevice:  // left by the search for a device if there is none
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
      return false;
    default:
      return true;
  }
}

double time_on_device(const std::function<void()>& enqueue, int repeats) {
  enqueue();
  synchronize(Backend::cuda);
  Event start;
  Event end;
  std::vector<double> times;
  for (int i = 0; i < std::max(repeats, 1); ++i) {
    start.record();
    enqueue();
    end.record();
    times.push_back(end.milliseconds_since(start));
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double copy_rate(std::size_t bytes, int repeats) {
  Memory from(Backend::cuda, bytes, "copy source");
  Memory to(Backend::cuda, bytes, "copy target");
  const double milliseconds = time_on_device(
      [&] {
        const auto kind = cudaMemcpyDeviceToDevice;
        check_cuda(cudaMemcpyAsync(to.data(), from.data(), bytes, kind), "copy on the device");
      },
      repeats);
  return 2.0 * static_cast<double>(bytes) / (milliseconds * 1e6);
}

}  // namespace simt
