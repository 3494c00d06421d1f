// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "kernels/kernel.h"
#include "simt/bench.h"

namespace gradproof {

/// Measures what an element of each kernel costs on the executor with one worker, the median in
/// ns/element, for the rows whose names are wanted. Each pass is watched
/// (kernels/harness/run_watch.h): a pass that ended an earlier process has no row.
void bench_executor_kernels(const Catalog& catalog,
                            const std::function<bool(const std::string&)>& wanted,
                            const simt::OnBenchRow& on_row);

/// One kernel at one size on the device, beside a copy of x in the same run.
struct DeviceBenchRow {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  double milliseconds = 0;  ///< median
  double rate = 0;          ///< GB/s of the bytes that must move: each input and output once
  double copy_rate = 0;     ///< GB/s of a device-to-device copy of x, read and write counted
};

/// `on_row` takes the rows as they are measured, watched as above. Throws simt::NoDevice.
void bench_device(const Catalog& catalog, const std::function<void(const DeviceBenchRow&)>& on_row);

}  // namespace gradproof
