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

/// The function that is given each row as soon as it is measured.
using OnBenchRow = std::function<void(const BenchRow&)>;

/// Measures the executor's own operations on one core, and a memory-bound loop as the unit.
/// It takes about a second.
void bench_executor(const OnBenchRow& on_row);

}  // namespace simt
