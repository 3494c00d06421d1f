// SPDX-License-Identifier: Apache-2.0
// This file replaces cuda_storage.cpp and cuda_device.cpp in a build without CUDA.
#include "simt/device.h"
#include "simt/memory/storage.h"

namespace simt {
namespace {

[[noreturn]] void refuse() { throw NoDevice("this program was built without CUDA"); }

}  // namespace

std::unique_ptr<Storage> make_cuda_storage(std::size_t, const std::string&, Room) { refuse(); }

cudaStream_t make_cuda_stream() { refuse(); }
void wait_for_cuda_stream(cudaStream_t) { refuse(); }
void end_cuda_stream(cudaStream_t) noexcept {}

std::optional<DeviceInfo> device_info() { return std::nullopt; }

void synchronize(Backend backend) {
  if (backend == Backend::cuda) refuse();
}

bool device_has_erred() { return false; }

double time_on_device(const std::function<void()>&, int) { refuse(); }

double copy_rate(std::size_t, int) { refuse(); }

}  // namespace simt
