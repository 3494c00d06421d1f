// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/kernels.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "core/error.h"
#include "kernels/harness/run_watch.h"
#include "kernels/kernel.h"
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
  Bench(const Kernel& kernel, const std::string& keys)
      : case_(parse_case(kernel.schema->word + " " + keys, {kernel.schema})),
        kernel_(kernel),
        call_(kernel.call(case_)) {
    call_.backend = execution_of(case_).backend;
    for (const TensorSpec& spec : kernel_.claim(case_).tensors)
      place(spec.name, spec.dtype, spec.layout.shape, spec.layout.strides);
    place("workspace", DType::f32, {static_cast<std::int64_t>(kernel_.workspace(call_) / 4)}, {1});
  }

  const Case& tested() const { return case_; }
  void forward() { kernel_.entry.forward(call_); }
  void backward() { kernel_.entry.backward(call_); }
  const View& view(const std::string& name) const { return call_.views.at(name); }

 private:
  void place(const std::string& name, DType dtype, const Shape& shape, const Shape& strides) {
    const Tensor tensor = numbers(dtype, std::min(numel(shape), kPeriod), name == "running_var");
    const std::size_t bytes = static_cast<std::size_t>(numel(shape)) * size_of(dtype);
    simt::Memory memory(call_.backend, bytes, name);
    for (std::size_t at = 0; at < bytes; at += tensor.bytes().size())
      memory.upload(tensor.bytes().data(), std::min(tensor.bytes().size(), bytes - at), at);
    call_.views[name] = {memory.data(), dtype, shape, strides};
    memories_.push_back(std::move(memory));
  }

  /// Numbers between -1 and 1, or between 0 and 2. A large tensor repeats them: drawing each of its
  /// elements takes the host seconds. The period is prime, so that no two rows are alike.
  static constexpr std::int64_t kPeriod = 1048573;
  static Tensor numbers(DType dtype, std::int64_t count, bool positive) {
    Tensor tensor(dtype, {count});
    std::uint32_t state = 12345;
    for (std::int64_t i = 0; i < count && dtype != DType::i64; ++i) {
      state = state * 1664525u + 1013904223u;
      tensor.set(i, (state >> 8) * 0x1p-23 - (positive ? 0 : 1));
    }
    return tensor;
  }

  Case case_;
  const Kernel& kernel_;
  Call call_;
  std::vector<simt::Memory> memories_;
};

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs the work, unless the Case has ended an earlier process. Throws InstrumentError where the
/// device refuses it.
void measure(const Case& c, const std::function<void()>& work) {
  const KernelRun run = watched(c, [&] {
    work();
    return KernelRun();
  });
  for (const simt::Finding& finding : run.findings)
    if (finding.kind != kCrash)
      throw InstrumentError(fmt::format("{} in '{}'", finding.text, to_string(c)));
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

void bench_executor_kernels(const Catalog& catalog,
                            const std::function<bool(const std::string&)>& wanted,
                            const simt::OnBenchRow& on_row) {
  simt::Options options;
  options.workers = 1;
  const simt::Scope scope(options);
  for (const Kernel& kernel : catalog.kernels()) {
    const std::string& word = kernel.schema->word;
    for (const int height : {1024, 4096}) {
      Bench bench(kernel, fmt::format("rows={} cols=64", height));
      const std::string size = fmt::format(" {} x 64", height);
      const double elements = height * 64.0;
      const auto row = [&](const std::string& pass, const std::function<void()>& work) {
        const std::string name = word + pass + size;
        if (wanted(name))
          measure(bench.tested(), [&] { on_row(executor_row(name, elements, work)); });
      };
      row(" forward", [&] { bench.forward(); });
      row(" backward", [&] { bench.backward(); });
    }
  }
}

#if !defined(GRADPROOF_WITH_CUDA)

void bench_device(const Catalog&, const std::function<void(const DeviceBenchRow&)>&) {
  throw simt::NoDevice("bench device: this program was built without CUDA");
}

#else

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) throw simt::LaunchError(cudaGetErrorString(error));
}

/// The median of the milliseconds that the work enqueued by `work` on the default stream takes.
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

namespace {

/// Forward and backward at one size, beside a copy of x.
std::vector<DeviceBenchRow> rows_of(const Kernel& kernel, Bench& bench, const std::string& dtype,
                                    std::int64_t height, std::int64_t width) {
  const double bytes =
      static_cast<double>(height * width) * static_cast<double>(size_of(parse_dtype(dtype)));
  const auto rate = [&](double passes, double milliseconds) {
    return passes * bytes / milliseconds * 1e-6;
  };
  const double copy = device_milliseconds([&] {
    check(cudaMemcpyAsync(bench.view("y").data, bench.view("x").data,
                          static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, nullptr));
  });
  const auto row = [&](const std::string& pass, double passes, double milliseconds) {
    return DeviceBenchRow{kernel.schema->word + " " + pass + " " + dtype,
                          height,
                          width,
                          milliseconds,
                          rate(passes, milliseconds),
                          rate(2, copy)};
  };
  return {row("forward", 2, device_milliseconds([&] { bench.forward(); })),
          row("backward", 3, device_milliseconds([&] { bench.backward(); }))};
}

}  // namespace

void bench_device(const Catalog& catalog,
                  const std::function<void(const DeviceBenchRow&)>& on_row) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{
      {16384, 4096}, {1024, 8192}, {128, 512}};
  for (const Kernel& kernel : catalog.kernels())
    for (const char* dtype : {"f32", "f16"})
      for (const auto& [rows, cols] : sizes) {
        Bench bench(kernel, fmt::format("dtype={} rows={} cols={} device=cuda", dtype, rows, cols));
        measure(bench.tested(), [&, height = rows, width = cols] {
          for (const DeviceBenchRow& row : rows_of(kernel, bench, dtype, height, width))
            on_row(row);
        });
      }
}

#endif

}  // namespace gradproof
