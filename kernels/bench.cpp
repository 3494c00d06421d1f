// SPDX-License-Identifier: Apache-2.0
#include "kernels/bench.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "kernels/kernel.h"
#include "kernels/rows/rows.h"
#include "simt/launch.h"

#if defined(GRADPROOF_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace gradproof {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The tensors of a Case on a back-end, filled with cheap numbers around 0. Runs on the default
/// stream, the one that is timed.
class Bench {
 public:
  Bench(const std::string& keys, simt::Backend backend)
      : kernel_(batchnorm_bias_divide_swish()),
        case_(parse_case(kernel_.schema->word + keys, {kernel_.schema})),
        backend_(backend) {
    const Claim claim = kernel_.claim(case_);
    for (const TensorSpec& spec : claim.tensors)
      place(spec.name, spec.dtype, spec.layout.shape, spec.layout.strides);
    place("workspace", DType::f32, {kernel_.workspace(case_)}, {1});
  }

  void forward() { kernel_.entry.forward(case_, views_, backend_, nullptr); }
  void backward() { kernel_.entry.backward(case_, views_, backend_, nullptr); }
  const View& view(const std::string& name) const { return views_.at(name); }

 private:
  void place(const std::string& name, DType dtype, const Shape& shape, const Shape& strides) {
    const auto size = static_cast<std::size_t>(gradproof::numel(shape));
    simt::Memory memory(backend_, size * size_of(dtype), name);
    if (dtype == DType::f32) {
      std::vector<float> numbers(size);
      std::uint32_t state = 12345;
      for (float& number : numbers) {
        state = state * 1664525u + 1013904223u;
        number = static_cast<float>(state >> 8) * 0x1p-23f - (name == "running_var" ? 0 : 1);
      }
      memory.upload(numbers.data(), size * sizeof(float));
    }
    views_[name] = {memory.data(), dtype, shape, strides};
    memories_.push_back(std::move(memory));
  }

  Kernel kernel_;
  Case case_;
  simt::Backend backend_;
  std::vector<simt::Memory> memories_;
  Views views_;
};

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
simt::BenchRow executor_row(const std::string& name, double elements, const Work& work) {
  constexpr int kRepeats = 7;
  work();
  std::vector<double> times;
  for (int i = 0; i < kRepeats; ++i) times.push_back(seconds_of(work));
  return {name, median(times) / elements * 1e9, "ns/element"};
}

}  // namespace

std::vector<simt::BenchRow> bench_executor_kernels() {
  simt::Options options;
  options.workers = 1;
  const simt::Scope scope(options);
  std::vector<simt::BenchRow> rows;
  for (const int height : {1024, 4096}) {
    Bench bench(fmt::format(" rows={} cols=64", height), simt::Backend::cpu);
    const std::string size = fmt::format("{} x 64", height);
    rows.push_back(
        executor_row("batchnorm forward " + size, height * 64.0, [&] { bench.forward(); }));
    rows.push_back(
        executor_row("batchnorm backward " + size, height * 64.0, [&] { bench.backward(); }));
  }
  return rows;
}

#if !defined(GRADPROOF_WITH_CUDA)

std::vector<DeviceBenchRow> bench_device() {
  throw simt::NoDevice("bench device: this program was built without CUDA");
}

#else

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw simt::LaunchError(cudaGetErrorString(error));
}

/// Median milliseconds of what `work` enqueues on the default stream.
template <class Work>
double device_milliseconds(const Work& work) {
  constexpr int kWarmUp = 3;
  constexpr int kRepeats = 21;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  std::vector<double> times;
  for (int i = 0; i < kWarmUp + kRepeats; ++i) {
    check(cudaEventRecord(start, nullptr));
    work();
    check(cudaEventRecord(stop, nullptr));
    check(cudaEventSynchronize(stop));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, stop));
    if (i >= kWarmUp) times.push_back(milliseconds);
  }
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  return median(times);
}

}  // namespace

std::vector<DeviceBenchRow> bench_device() {
  std::vector<DeviceBenchRow> rows;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{
      {16384, 4096}, {1024, 8192}, {128, 512}};
  for (const auto& [height, width] : sizes) {
    Bench bench(fmt::format(" rows={} cols={} device=cuda", height, width), simt::Backend::cuda);
    const double bytes = static_cast<double>(height * width) * sizeof(float);
    const auto rate = [&](double passes, double milliseconds) {
      return passes * bytes / milliseconds * 1e-6;
    };
    const double copy = device_milliseconds([&] {
      check(cudaMemcpyAsync(bench.view("y").data, bench.view("x").data,
                            static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, nullptr));
    });
    const auto add = [&](const char* name, double passes, double milliseconds) {
      rows.push_back(
          {name, height, width, milliseconds, rate(passes, milliseconds), rate(2, copy)});
    };
    add("batchnorm forward", 2, device_milliseconds([&] { bench.forward(); }));
    add("batchnorm backward", 3, device_milliseconds([&] { bench.backward(); }));
  }
  return rows;
}

#endif

}  // namespace gradproof
