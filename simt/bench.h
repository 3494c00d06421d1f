// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace simt {

/// One line of `bench executor`.
struct BenchRow {
  std::string name;
  double ns;
  std::string unit;  ///< "ns/thread"
};

/// Takes the rows as they are measured.
using OnBenchRow = std::function<void(const BenchRow&)>;

/// What the executor's own operations cost on one core, beside a memory-bound loop as the unit.
/// About a second.
void bench_executor(const OnBenchRow& on_row);

}  // namespace simt
