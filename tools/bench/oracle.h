// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace gradproof {

/// The rate of one part of the oracle on one pipeline, forward and backward, on one core.
struct OracleBenchRow {
  std::string name;   ///< "swish_multiply_swish: truth and bound, avx512"
  double melems = 0;  ///< million elements of x in a second of one core, median
  double ratio = 0;   ///< to the plain float64 evaluation of the same text in the same run
};

/// Measures pipelines of kernels and of stages, each by plain float64, by the parts of the judge in
/// every compilation that this CPU can run, and by the whole judge. It takes under a minute.
/// `on_row` takes the rows as they are measured.
void bench_oracle(const std::function<void(const OracleBenchRow&)>& on_row);

}  // namespace gradproof
