// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "simt/cuda_check.h"
#include "simt/memory/first_damage.h"
#include "simt/memory/storage.h"

namespace simt {
namespace {

/// The lowest number that kernels have stored there; it begins as kNoDamage.
class LowestNumber {
 public:
  LowestNumber() {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, sizeof *data_), "cudaMalloc");
    data_ = static_cast<unsigned long long*>(memory);
    const cudaError_t error = cudaMemset(data_, 0xFF, sizeof *data_);
    if (error != cudaSuccess) static_cast<void>(cudaFree(data_));
    check_cuda(error, "cudaMemset");
  }
  ~LowestNumber() { static_cast<void>(cudaFree(data_)); }
  LowestNumber(const LowestNumber&) = delete;
  LowestNumber& operator=(const LowestNumber&) = delete;

  unsigned long long* data() const { return data_; }
  /// Waits for the kernels of the default stream.
  unsigned long long read() const {
    unsigned long long number = 0;
    check_cuda(cudaMemcpy(&number, data_, sizeof number, cudaMemcpyDeviceToHost),
               "the search for damage");
    return number;
  }

 private:
  unsigned long long* data_ = nullptr;
};

/// The layout is [256 guard bytes][data][slack to 256 and 256 more], all 0xFF. In sparse memory,
/// nothing may be written between the uploaded stretches either.
class CudaStorage final : public Storage {
 public:
  CudaStorage(std::size_t bytes, const std::string& name, Room room)
      : bytes_(bytes), after_(rounded(bytes) - bytes + kGuardBytes), room_(room) {
    const std::size_t all = kGuardBytes + bytes_ + after_;
    void* base = nullptr;
    try {
      check_cuda(cudaMalloc(&base, all), "cudaMalloc");
    } catch (const std::bad_alloc&) {
      throw NoRoom(too_large(name, bytes, "on the device"));
    }
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
    if (room_ == Room::sparse) uploaded_.push_back({offset, offset + bytes});
  }
  void download(void* to, std::size_t bytes, std::size_t offset) const override {
    const std::byte* const from = base_ + kGuardBytes + offset;
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the device");
  }
  std::string guard_damage() const override {
    const std::string damage =
        describe_damage(intact(base_, kGuardBytes) == kGuardBytes,
                        intact(base_ + kGuardBytes + bytes_, after_), after_);
    return damage.empty() && room_ == Room::sparse ? damage_between() : damage;
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

  std::string damage_between() const {
    const LowestNumber first;
    for (const Gap& gap : gaps_between(uploaded_, bytes_))
      device::lower_to_damage({base_ + kGuardBytes + gap.begin, gap.end - gap.begin, gap.begin},
                              first.data(), nullptr);
    const unsigned long long found = first.read();
    return found == kNoDamage ? "" : describe_gap_damage(static_cast<std::int64_t>(found));
  }

  std::size_t bytes_;
  std::size_t after_;
  Room room_;
  std::vector<Gap> uploaded_;
  std::byte* base_ = nullptr;
};

}  // namespace

std::unique_ptr<Storage> make_cuda_storage(std::size_t bytes, const std::string& name, Room room) {
  return std::make_unique<CudaStorage>(bytes, name, room);
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
