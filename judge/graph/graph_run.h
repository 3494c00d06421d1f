// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/case/case.h"
#include "core/compare/discrepancy.h"
#include "judge/systems.h"
#include "kernels/harness/counted_run.h"
#include "oracles/claim/case_claim.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/graph/segments/known_blocks.h"

namespace gradproof {

/// Elements of all tensors of a run whose truths are kept, 64 bytes each; and of all inputs of one
/// whose truths are kept for the next run.
inline constexpr std::int64_t kMostKept = std::int64_t{1} << 21;

std::int64_t elements_of(const Tensors& tensors);

/// The claim, the inputs and the results that one Case of a graph is judged by.
struct GraphRun {
  GraphClaim claim;
  Tensors inputs;                            ///< with a cotangent for each output
  Tensors got;                               ///< what there is of outputs and gradients
  std::string who;                           ///< computed them
  std::vector<simt::Finding> findings = {};  ///< of the run itself
  ByName<std::string> again = {};  ///< digests of a second run; empty: no bits are promised
  CountedRun counted = {};         ///< additions of a kernel's own source
  /// The truths, once they are evaluated; null in runs of more than kMostKept elements.
  std::shared_ptr<KnownBlocks> known = {};

  /// The run with these results alone, without findings, digests of a second run and counts.
  GraphRun of(Tensors some) const {
    GraphRun run{claim, inputs, std::move(some), who};
    run.known = known;
    return run;
  }
};

/// Runs the accused (judge/graph/accused.h), or reads the given tensors of a Case that names
/// them. Throws what the accused throws, and UsageError for extents and files that do not fit the
/// graph.
GraphRun run_graph(const Systems& systems, const Case& c);

/// The Case's claim, inputs and given tensors; nothing is computed from them.
GraphRun inputs_of_graph(const Case& c);

/// The run of LibTorch's float64 on these inputs, by its own contract: the second witness.
GraphRun in_libtorch_float64(const GraphRun& run);

/// "LibTorch float64 says 1 at [2,3] where the oracle says 2"
std::string disagreement(const Discrepancy& found, const Tensor& got);

}  // namespace gradproof
