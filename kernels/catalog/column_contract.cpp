// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "kernels/catalog/families.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/column_tiling.h"

namespace gradproof {
namespace {

Reduction resident(const std::string& name, std::int64_t rows) {
  const int lanes = columns::resident_lanes(rows);
  return {name, rows, tree_chain(rows, lanes), fmt::format("{} lanes and a tree", lanes)};
}

/// Each chunk of rows is summed in kStreamLanes lanes and a tree, then the chunks in kFinishLanes
/// lanes and a tree.
Reduction streamed(const std::string& name, std::int64_t rows, bool welford) {
  const columns::Chunks chunks = columns::chunks_of(rows);
  const std::int64_t in_chunk = rows == 0 ? 0 : tree_chain(chunks.size(0), columns::kStreamLanes);
  const std::int64_t over_chunks = tree_chain(chunks.count, columns::kFinishLanes);
  std::int64_t chain = in_chunk + over_chunks;
  // Two additions join two sums of squares; a lane's first two numbers need none. Here a chunk has
  // more rows than lanes.
  constexpr std::int64_t kLevels = 5;
  static_assert(1 << kLevels == columns::kStreamLanes);
  if (welford) chain = in_chunk + kLevels - 1 + 2 * over_chunks;
  return {name, rows, chain,
          fmt::format("{} chunks of {} lanes and a tree", chunks.count, columns::kStreamLanes)};
}

/// True if a scale stands right before the norm, as in the kernels' BeforeNorm of a scale.
bool has_scale_in_front(const Graph& pipeline) {
  const std::vector<GraphStep>& steps = pipeline.steps;
  return steps.size() > 1 && steps[0].stage == "scale" && steps[1].stage == "batch_norm";
}

}  // namespace

Contract column_contract(const Graph& pipeline, const Case& c) {
  const std::int64_t rows = c.integer("rows");
  const std::int64_t cols = c.integer("cols");
  const bool norm = has_stage(pipeline, "batch_norm");
  const bool tall =
      rows > (c.is("dtype", "f64") ? columns::kResidentRowsOfDouble : columns::kResidentRows);
  Contract contract;
  contract.rsqrt_error = norm ? 2 : 0;  // 1 / sqrt: a root and a quotient, each correctly rounded
  if (norm) {
    contract.variance = tall ? Variance::welford : Variance::two_pass;
    contract.reductions.push_back(tall ? streamed("statistics", rows, true)
                                       : resident("statistics", rows));
  }
  const bool kept = norm && !tall && has_batch_statistics(c);
  contract.scale_in_closed_form = has_scale_in_front(pipeline);
  contract.reductions.push_back(kept ? resident("gradients", rows)
                                     : streamed("gradients", rows, false));
  if (!vectors_of(pipeline).empty())
    contract.reductions.push_back({"shared", cols, tree_chain(cols, columns::kSharedLanes),
                                   fmt::format("{} lanes and a tree", columns::kSharedLanes)});
  return contract;
}

std::size_t column_workspace(const Graph& pipeline, const Call& call) {
  const int of_norm = norm_of(pipeline) != nullptr ? 2 : 0;
  const int terms = of_norm + static_cast<int>(vectors_of(pipeline).size());
  const std::int64_t numbers =
      columns::workspace_elements(call.extent("rows"), call.extent("cols"), terms);
  return static_cast<std::size_t>(numbers) * (call.dtype == DType::f64 ? 8 : 4);
}

}  // namespace gradproof
