// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/error.h"
#include "core/graph/stages.h"
#include "oracles/libtorch/autograd.h"

/// LibTorch's arithmetic on the CPU as a contract, read from its sources (aten/src/ATen/native of
/// pytorch 2.11); tests/libtorch/witness_test.cpp and `trial fair` hold the library to it. Its
/// kernels are compiled with contraction to fma, which takes roundings away and adds none: a bound
/// without fma stays a bound. If some sums of float32 are finished in double (acc_type), float32 is
/// the weaker promise, so a bound as well. f16 and bf16 are converted to float32 in each operator
/// and its result is rounded once.
namespace gradproof {
namespace {

/// cpu/batch_norm_kernel.cpp, batch_norm_cpu_collect_stats_channels_last_impl and
/// batch_norm_cpu_backward_channels_last_impl: an (N, C) tensor is contiguous with image_size 1, so
/// it takes the channels-last path, where each thread sums its own rows in order and then the
/// threads' sums are added. The number of threads is no promise, and the sums of sum_to
/// (SumKernel.cpp, cascades) for bias and scale have another order again, as have GroupNorm's,
/// whose lanes are the machine's vectors: any order of n terms is at most a chain of n - 1.
Reduction any_order(const std::string& name, std::int64_t length) {
  return {name, length, std::max<std::int64_t>(length - 1, 0), "sums in any order"};
}

/// cpu/moments_utils.h, RowwiseMomentsImpl: Welford in each lane of a vector over chunks of 16, the
/// chunks joined in a cascade, its levels one after the other, then the lanes. The width of a
/// vector is no promise either, and parts are joined whose right side is the larger: their shares
/// of the difference are covered by the chain of a join for each number.
Reduction joined(const std::string& name, std::int64_t width) {
  return {name, width, width > 1 ? width : 0, "lanes of Welford, joined in any order"};
}

/// Adds the arithmetic of (N, C) tensors in BatchNorm1d.
void add_batch_norm(const Claim& claim, Contract& c) {
  c.reductions.push_back(any_order("statistics", claim.rows()));
  // The mean first, then the sum of (x - mean)^2. The mean has the type of the parameters: float32
  // beside f16 and bf16.
  c.variance = Variance::two_pass;
  // batch_norm_cpu_collect_linear_and_constant_terms: alpha = invstd * weight,
  // beta' = bias - mean * alpha, y = x * alpha + beta'. Without running statistics too: an
  // undefined tensor counts as contiguous in batch_norm_cpu_transform_input_template
  // (Normalization.cpp).
  c.affine_folded = true;
  // k = dotp * invstd * invstd / N, dx = (dy - sum / N - (x - mean) * k) * invstd * w.
  c.backward = NormBackward::centered;
  // Normalization.cpp, batch_norm_cpu_update_stats_template:
  // momentum * new + (1 - momentum) * old, the variance being var_sum / (n - 1).
  c.running = RunningUpdate::weighted;
}

/// Adds cpu/group_norm_kernel.cpp, where (N, C) tensors have an image of one number:
/// GroupNormKernelImplInternal and GroupNormBackwardKernelImplInternal.
void add_group_norm(const Claim& claim, Contract& c) {
  c.reductions.push_back(joined("statistics", claim.block_width()));
  c.reductions.push_back(any_order("parameters", claim.rows()));
  c.variance = Variance::welford;
  // scale = rstd * weight, bias = -scale * mean + beta, y = scale * x + bias; without weight and
  // beta y = (x - mean) * rstd.
  c.affine_folded = claim.has("weight");
  // ds = dy * x, db = dy, their weighted sums over the group; c2 = (db * mean - ds) * rstd^3 / D,
  // c3 = -c2 * mean - db * rstd / D, dx = rstd * weight * dy + c2 * x + c3. The weight's gradient
  // is the sum of (ds - db * mean) * rstd over the rows.
  c.backward = NormBackward::uncentered;
}

/// The contract; `dtype` is the type of x and y.
Contract libtorch_contract(const Claim& claim, DType dtype) {
  Contract c;
  c.storage = dtype;
  c.accumulation = c.scalar = dtype == DType::f64 ? DType::f64 : DType::f32;
  // A unit's terms are those of a column, or of one row of a group.
  c.reductions = {any_order("gradients", claim.groups() > 0 ? claim.block_width() : claim.rows()),
                  any_order("shared", claim.rows() * claim.cols())};
  const std::vector<GraphStep> chain = claim.chain();
  if (claim.groups() > 0)
    add_group_norm(claim, c);
  else if (first_norm(chain) < chain.size())
    add_batch_norm(claim, c);
  // cpu/Activation.cpp, silu_kernel: x / (1 + exp(-x)).
  c.swish = SwishForm::quotient;
  // silu_backward_kernel: dy * s * (1 + x * (1 - s)) with s = 1 / (1 + exp(-x)), from the left.
  c.cotangent_first = true;
  c.complement = SigmoidComplement::subtracted;
  // cpu/vec/vec256/vec256_{float,double}.h and vec512: Sleef_exp*_u10, within 1.0 ulp = 2u of the
  // true value; a loop's remainder takes std::exp, which glibc keeps under 1 ulp.
  c.exp_error = 2;
  // InvStd and GroupNorm's 1 / std::sqrt(var + eps), two correctly rounded operations; for float32
  // in double, as eps is a double, and rounded once.
  c.rsqrt_error = 2;
  // The number of threads decides the order of the sums.
  c.deterministic = false;
  return c;
}

}  // namespace

Claim as_libtorch(const Claim& claim, DType dtype) {
  if (dtype != DType::f32 && dtype != DType::f64)
    throw InstrumentError("LibTorch stores what each operator computes: ask about one operator");
  Claim own = claim;
  own.contract = libtorch_contract(claim, dtype);
  for (TensorSpec& spec : own.tensors)
    if (spec.dtype != DType::i64) spec.dtype = dtype;
  return own;
}

Claim as_libtorch_float64(const Claim& claim) { return as_libtorch(claim, DType::f64); }

namespace {

/// True if our contracts can describe LibTorch's operator for the step in f16 or bf16.
bool has_contract_in_16_bits(const GraphStage& row, const Claim& claim, DType parameters) {
  switch (row.libtorch_16) {
    case LibTorch16::any_parameters:
      return true;
    case LibTorch16::same_type:
      return parameters == claim.tensor("x").dtype;
    case LibTorch16::float32_parameters:
      return parameters == DType::f32;
  }
  return false;
}

/// True if the claim of the step alone, whose graph `own` has, has the tensor. A factor's gradient
/// is left out: a product and a sum, two operators.
bool is_of(const Claim& own, const GraphStage& row, const TensorSpec& spec) {
  if (spec.name == "mean" || spec.name == "rstd") return row.is_norm();
  const auto& tensors = own.graph.tensors;
  if (spec.role == Role::buffer && spec.dtype == DType::i64)  // counted beside running statistics
    return std::any_of(tensors.begin(), tensors.end(),
                       [](const GraphTensor& t) { return t.part == TensorPart::running_mean; });
  const bool gradient = spec.role == Role::gradient;
  const std::string name = gradient ? spec.name.substr(2) : spec.name;
  if (name == "x" || name == "y" || name == "dy") return true;
  if (std::none_of(tensors.begin(), tensors.end(),
                   [&](const GraphTensor& t) { return t.name == name; }))
    return false;
  return !gradient || !row.is_factor();
}

}  // namespace

std::optional<Claim> as_libtorch_operator(const Claim& claim, std::size_t position) {
  const GraphStage& row = graph_stage(claim.chain().at(position).stage);
  Claim own = claim;
  own.graph = chain_part(claim, position, position + 1);
  std::erase_if(own.tensors, [&](const TensorSpec& spec) { return !is_of(own, row, spec); });
  DType parameters = claim.tensor("x").dtype;
  for (const TensorSpec& spec : own.tensors)
    if (spec.role == Role::parameter || (spec.role == Role::buffer && spec.dtype != DType::i64))
      parameters = spec.dtype;
  if (!has_contract_in_16_bits(row, claim, parameters)) return std::nullopt;
  // is_mixed_type: the statistics are saved in the type of the parameters.
  for (TensorSpec& spec : own.tensors)
    if (spec.name == "mean" || spec.name == "rstd") spec.dtype = parameters;
  own.contract = libtorch_contract(own, claim.tensor("x").dtype);
  return own;
}

}  // namespace gradproof
