// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/batchnorm_claim.h"

#include <limits>

#include <fmt/format.h>

#include "kernels/batchnorm_bias_divide_swish.h"
#include "kernels/rows/layouts.h"

namespace gradproof {
namespace {

double scalar(const Case& c, const std::string& key) {
  if (!c.is_number(key)) return std::numeric_limits<double>::quiet_NaN();
  return round_to(DType::f32, c.real(key));
}

Pipeline pipeline_of(const Case& c) {
  const bool affine = c.is("affine", "yes");
  const bool track = c.is("track", "yes");
  const auto when = [](bool present, const char* name) { return std::string(present ? name : ""); };
  Pipeline pipeline;
  pipeline.steps = {
      {"normalized",
       StageKind::batch_norm,
       "",
       {when(affine, "weight"), when(affine, "beta"), when(track, "running_mean"),
        when(track, "running_var"), when(track, "num_batches_tracked")},
       {scalar(c, "eps"), scalar(c, "momentum")}},
      {"biased", StageKind::bias, "", {"bias"}, {}},
      {"divided", StageKind::divide, "", {}, {scalar(c, "divide")}},
      {"activated", StageKind::swish, "", {}, {}},
  };
  pipeline.batch_statistics = has_batch_statistics(c);
  pipeline.update_running = c.is("mode", "train") && track;
  return pipeline;
}

Reduction resident(const std::string& name, std::int64_t rows) {
  const int lanes = batchnorm::resident_lanes(rows);
  return {name, rows, tree_chain(rows, lanes), fmt::format("{} lanes and a tree", lanes)};
}

/// Chunks of rows in kStreamLanes lanes and a tree, then the chunks in kFinishLanes lanes and a
/// tree.
Reduction streamed(const std::string& name, std::int64_t rows, bool welford) {
  const batchnorm::Chunks chunks = batchnorm::chunks_of(rows);
  const std::int64_t in_chunk = rows == 0 ? 0 : tree_chain(chunks.size(0), batchnorm::kStreamLanes);
  const std::int64_t over_chunks = tree_chain(chunks.count, batchnorm::kFinishLanes);
  std::int64_t chain = in_chunk + over_chunks;
  // Two additions join two sums of squares; a lane's first two numbers need none. Chunks are longer
  // than their lanes are many here.
  constexpr std::int64_t kLevels = 5;
  static_assert(1 << kLevels == batchnorm::kStreamLanes);
  if (welford) chain = in_chunk + kLevels - 1 + 2 * over_chunks;
  return {name, rows, chain,
          fmt::format("{} chunks of {} lanes and a tree", chunks.count, batchnorm::kStreamLanes)};
}

Contract contract_of(const Case& c) {
  const std::int64_t rows = c.integer("rows");
  const bool tall = rows > batchnorm::kResidentRows;
  Contract contract;
  contract.variance = tall ? Variance::welford : Variance::two_pass;
  contract.reductions = {
      tall ? streamed("statistics", rows, true) : resident("statistics", rows),
      tall || !has_batch_statistics(c) ? streamed("gradients", rows, false)
                                       : resident("gradients", rows),
      {"bias_gradient", c.integer("cols"), tree_chain(c.integer("cols"), batchnorm::kBiasLanes),
       fmt::format("{} lanes and a tree", batchnorm::kBiasLanes)},
  };
  // expf: glibc's measured over all negative numbers; CUDA documents one ulp of the rounded result.
  contract.exp_error = c.is("device", "cuda") ? 3 : 1;
  contract.rsqrt_error = 2;  // 1 / sqrtf: a root and a quotient, each correctly rounded
  return contract;
}

std::vector<TensorSpec> tensors_of(const Case& c) {
  const std::int64_t rows = c.integer("rows");
  const std::int64_t cols = c.integer("cols");
  const Layout matrix = layout_of(c.text("layout"), rows, cols);
  const std::string& out = c.text(c.is("out_layout", "same") ? "layout" : "out_layout");
  const Layout written = layout_of(out, rows, cols);
  const Layout vector = Layout::contiguous({cols});
  const Layout one = Layout::contiguous({1});
  const Layout bias = c.is("bias", "one") ? one : vector;
  const bool backward = !c.is("op", "forward");
  std::vector<TensorSpec> tensors;
  const auto add = [&](bool present, const char* name, Role role, const Layout& layout) {
    if (present) tensors.push_back({name, role, DType::f32, layout});
  };
  const bool affine = c.is("affine", "yes");
  const bool track = c.is("track", "yes");
  add(true, "x", Role::input, matrix);
  add(affine, "weight", Role::parameter, vector);
  add(affine, "beta", Role::parameter, vector);
  add(true, "bias", Role::parameter, bias);
  add(track, "running_mean", Role::buffer, vector);
  add(track, "running_var", Role::buffer, vector);
  if (track) tensors.push_back({"num_batches_tracked", Role::buffer, DType::i64, one});
  add(backward, "dy", Role::cotangent, layout_of(c.text("dy_layout"), rows, cols));
  add(true, "y", Role::output, written);
  const bool saved = rows > 0 || !has_batch_statistics(c);  // nothing has no mean
  add(saved, "mean", Role::output, vector);
  add(saved, "rstd", Role::output, vector);
  add(backward, "d_x", Role::gradient, written);
  add(backward && affine, "d_weight", Role::gradient, vector);
  add(backward && affine, "d_beta", Role::gradient, vector);
  add(backward, "d_bias", Role::gradient, bias);
  return tensors;
}

}  // namespace

bool has_batch_statistics(const Case& c) { return c.is("mode", "train") || c.is("track", "no"); }

Claim batchnorm_claim(const Case& c) {
  Claim claim;
  claim.rows = c.integer("rows");
  claim.cols = c.integer("cols");
  claim.forward = !c.is("op", "backward");
  claim.backward = !c.is("op", "forward");
  claim.pipeline = pipeline_of(c);
  claim.contract = contract_of(c);
  claim.tensors = tensors_of(c);
  return claim;
}

}  // namespace gradproof
