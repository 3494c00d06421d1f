// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "simt/cuda_check.h"
#include "simt/storage.h"

namespace simt {
namespace {

/// [256 guard bytes][data][slack to 256 and 256 more], all 0xFF.
class CudaStorage final : public Storage {
 public:
  explicit CudaStorage(std::size_t bytes)
      : bytes_(bytes), after_(rounded(bytes) - bytes + kGuardBytes) {
    const std::size_t all = kGuardBytes + bytes_ + after_;
    void* base = nullptr;
    check_cuda(cudaMalloc(&base, all), "cudaMalloc");
    base_ = static_cast<std::byte*>(base);
    const cudaError_t error = cudaMemset(base, 0xFF, all);
    if (error != cudaSuccess) static_cast<void>(cudaFree(base));
    check_cuda(error, "cudaMemset");
  }
  ~CudaStorage() override { static_cast<void>(cudaFree(base_)); }
  CudaStorage(const CudaStorage&) = delete;
  CudaStorage& operator=(const CudaStorage&) = delete;

  void* data() override { return base_ + kGuardBytes; }
  void upload(const void* from, std::size_t bytes, std::size_t offset) override {
    std::byte* const to = base_ + kGuardBytes + offset;
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the device");
  }
  void download(void* to, std::size_t bytes, std::size_t offset) const override {
    const std::byte* const from = base_ + kGuardBytes + offset;
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the device");
  }
  std::string guard_damage() const override {
    return describe_damage(intact(base_, kGuardBytes) == kGuardBytes,
                           intact(base_ + kGuardBytes + bytes_, after_), after_);
  }

 private:
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + Memory::kAlignment - 1) / Memory::kAlignment * Memory::kAlignment;
  }
  static std::size_t intact(const std::byte* band, std::size_t bytes) {
    std::vector<std::byte> copy(bytes);
    check_cuda(cudaMemcpy(copy.data(), band, bytes, cudaMemcpyDeviceToHost), "guard band");
    const auto touched =
        std::find_if(copy.begin(), copy.end(), [](std::byte b) { return b != std::byte{0xFF}; });
    return static_cast<std::size_t>(touched - copy.begin());
  }

  std::size_t bytes_;
  std::size_t after_;
  std::byte* base_ = nullptr;
};

}  // namespace

std::unique_ptr<Storage> make_cuda_storage(std::size_t bytes) {
  return std::make_unique<CudaStorage>(bytes);
}

cudaStream_t make_cuda_stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

void wait_for_cuda_stream(cudaStream_t stream) {
  check_cuda(cudaStreamSynchronize(stream), "a kernel on the device");
}

void end_cuda_stream(cudaStream_t stream) noexcept { static_cast<void>(cudaStreamDestroy(stream)); }

}  // namespace simt
