// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "kernels/catalog/families.h"
#include "kernels/catalog/kernel_spec.h"
#include "kernels/catalog/pipeline_parts.h"
#include "kernels/group_tiling.h"

namespace gradproof {
namespace {

std::int64_t levels_of(std::int64_t leaves) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(leaves - 1)));
}

/// A lane adds the channels of a quad, and its quads, in a tree, and the parts of a wide group one
/// after the other; the lanes are joined in a tree. A lane that has more than one quad has a full
/// first one.
Reduction over_unit(const std::string& name, const group::Tiling& tiling) {
  const std::int64_t quads = group::blocks_of(tiling.width, group::kQuad);
  const std::int64_t in_quad = levels_of(std::min<std::int64_t>(tiling.width, group::kQuad));
  const std::int64_t of_lane = in_quad + (quads > tiling.lanes ? 1 : 0) + tiling.parts - 1;
  return {name, tiling.width, of_lane + levels_of(tiling.lanes),
          fmt::format("{} lanes of {} channels and a tree", tiling.lanes, group::kHeld)};
}

/// A thread adds the rows of a chunk one after the other, then the chunks' sums are added.
Reduction over_rows(const group::Chunks& chunks) {
  const std::int64_t in_chunk = chunks.rows == 0 ? 0 : chunks.size(0) - 1;
  const int lanes = group::finish_lanes(chunks.count);
  return {"parameters", chunks.rows, in_chunk + tree_chain(chunks.count, lanes),
          fmt::format("{} chunks, {} lanes and a tree", chunks.count, lanes)};
}

}  // namespace

Contract group_contract(const Graph&, const Case& c) {
  const std::int64_t rows = c.integer("rows");
  const std::int64_t cols = c.integer("cols");
  const group::Chunks chunks = group::backward_chunks(rows);
  const group::Tiling tiling = group::tiling_of(chunks, cols, c.integer("groups"));
  Contract contract;
  contract.variance = Variance::two_pass;
  contract.reductions = {
      over_unit("statistics", tiling),
      over_unit("gradients", tiling),
      over_rows(chunks),
      {"shared", cols, tree_chain(cols, group::kSharedLanes),
       fmt::format("{} lanes and a tree", group::kSharedLanes)},
  };
  contract.rsqrt_error = 2;  // a root and a quotient, each correctly rounded
  return contract;
}

std::size_t group_workspace(const Graph& pipeline, const Call& call) {
  const auto sums = static_cast<std::int64_t>(2 + vectors_of(pipeline).size());
  const group::Scratch scratch =
      group::scratch_of(call.extent("rows"), call.extent("cols"), call.extent("groups"), sums);
  const std::size_t number = call.dtype == DType::f64 ? sizeof(double) : sizeof(float);
  return static_cast<std::size_t>(scratch.numbers()) * number;
}

}  // namespace gradproof
