// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace simt {

/// One line of `bench executor`.
struct BenchRow {
  std::string name;
  double ns;
  std::string unit;  ///< "ns/thread"
};

/// What the executor's own operations cost on one core, beside a memory-bound loop as the unit.
/// About a second.
std::vector<BenchRow> bench_executor();

}  // namespace simt
