// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/bench/oracle.h"

namespace gradproof {

/// The rows of graphs (docs/graphs.md): plain float64, truth and bound in every compilation that
/// this CPU can run, and the whole judge, of forward and backward.
void bench_graphs(const std::function<void(const OracleBenchRow&)>& on_row);

}  // namespace gradproof
