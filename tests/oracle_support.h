// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/claim.h"
#include "core/philox.h"
#include "core/tensor.h"

namespace gradproof::oracle_tests {

inline constexpr double kNoMomentum = std::numeric_limits<double>::quiet_NaN();

/// A claim like that of batchnorm_bias_divide_swish, as data.
struct ClaimOptions {
  std::int64_t rows = 7;
  std::int64_t cols = 3;
  bool shared_bias = true;
  bool training = true;
  double eps = 0x1.4f8b58p-17;      // 1e-5 in float32
  double momentum = 0x1.99999ap-4;  // 0.1 in float32
  double divide = -2.5;
  std::int64_t lanes = 32;
  std::int64_t chunk = 1 << 30;  ///< rows that one set of lanes takes; chunks meet in lanes again
  Contract contract = {};
};

inline std::vector<TensorSpec> tensors_of(const ClaimOptions& o) {
  const Layout matrix = Layout::contiguous({o.rows, o.cols});
  const Layout column = Layout::contiguous({o.cols});
  const Layout one = Layout::contiguous({1});
  const Layout& bias = o.shared_bias ? one : column;
  const DType t = o.contract.storage;
  return {{"x", Role::input, t, matrix},
          {"weight", Role::parameter, t, column},
          {"beta", Role::parameter, t, column},
          {"bias", Role::parameter, t, bias},
          {"running_mean", Role::buffer, t, column},
          {"running_var", Role::buffer, t, column},
          {"num_batches_tracked", Role::buffer, DType::i64, one},
          {"dy", Role::cotangent, t, matrix},
          {"y", Role::output, t, matrix},
          {"mean", Role::output, t, column},
          {"rstd", Role::output, t, column},
          {"d_x", Role::gradient, t, matrix},
          {"d_weight", Role::gradient, t, column},
          {"d_beta", Role::gradient, t, column},
          {"d_bias", Role::gradient, t, bias}};
}

/// The longest chain of additions over the rows. Two additions join two of Welford's sums of
/// squares; a lane's first two numbers need none.
inline std::int64_t chain_of(const ClaimOptions& o, bool welford) {
  const std::int64_t rows = std::min(o.rows, o.chunk);
  const std::int64_t chunks = (o.rows + o.chunk - 1) / o.chunk;
  const std::int64_t plain = tree_chain(rows, o.lanes) + tree_chain(chunks, o.lanes);
  if (!welford) return plain;
  const std::int64_t in_lane = (rows + o.lanes - 1) / o.lanes - 1;
  const std::int64_t joins = tree_chain(std::min(rows, o.lanes), o.lanes);
  const std::int64_t squares =
      std::max<std::int64_t>(0, in_lane - 1) + 2 * (joins + tree_chain(chunks, o.lanes));
  return std::max(plain, squares);
}

inline Claim make_claim(const ClaimOptions& o) {
  Claim claim;
  claim.rows = o.rows;
  claim.cols = o.cols;
  claim.pipeline.steps = {{"bn",
                           StageKind::batch_norm,
                           "",
                           {"weight", "beta", "running_mean", "running_var", "num_batches_tracked"},
                           {o.eps, o.momentum}},
                          {"biased", StageKind::bias, "", {"bias"}, {}},
                          {"divided", StageKind::divide, "", {}, {o.divide}},
                          {"y", StageKind::swish, "", {}, {}}};
  claim.pipeline.batch_statistics = claim.pipeline.update_running = o.training;
  claim.contract = o.contract;
  claim.contract.reductions = {
      {"statistics", o.rows, chain_of(o, o.contract.variance == Variance::welford),
       "lanes and a tree"},
      {"gradients", o.rows, tree_chain(o.rows, o.lanes), "lanes and a tree"},
      {"bias_gradient", o.cols, tree_chain(o.cols, o.lanes), "lanes and a tree"}};
  claim.tensors = tensors_of(o);
  return claim;
}

/// Numbers for every input of a claim: x = offset + scale N(0,1), dy = 1 + N(0,1), no identities.
inline Tensors make_inputs(const Claim& claim, std::uint64_t seed, double scale = 1,
                           double offset = 0) {
  Tensors tensors;
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role == Role::output || spec.role == Role::gradient) continue;
    const Stream stream(seed, spec.name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const double normal = stream.normal(static_cast<std::uint64_t>(i));
      double value = 1 + 0.3 * normal;
      if (spec.role == Role::input) value = offset + scale * normal;
      if (spec.role == Role::cotangent) value = 1 + normal;
      if (spec.name == "running_var") value = 0.2 + std::abs(normal);
      if (spec.dtype == DType::i64) value = 7;
      tensor.set(i, value);
    }
    tensors.emplace(spec.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace gradproof::oracle_tests
