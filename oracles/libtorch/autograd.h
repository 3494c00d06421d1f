// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// LibTorch's own modules and autograd, never our stages: the outputs, buffers and gradients that
/// the claim names, computed in the types of the claim's tensors and told in those of LibTorch's
/// results. The pipeline is run as written, with torch::nn::BatchNorm1d for batch_norm and autograd
/// from the cotangent `dy`. Where LibTorch leaves the saved statistics of no rows undefined, mean
/// and rstd are NaN; in evaluation, where it saves none, they are running_mean and
/// 1/sqrt(running_var + eps).
/// Throws InstrumentError for a claim that LibTorch's modules cannot say (a weight without a beta)
/// and with LibTorch's own words where it refuses (one row in training).
Tensors libtorch_operators(const Claim& claim, const Tensors& inputs);

/// The same in float64, whatever the claim's types: the second witness.
Tensors autograd_witness(const Claim& claim, const Tensors& inputs);

/// The claim with the contract of LibTorch's CPU arithmetic in this type, f32 or f64, for all its
/// numbers: what evaluate() needs to bound LibTorch as if it were a kernel. Pipeline and scalars
/// stay as the claim has them.
Claim as_libtorch(const Claim& claim, DType dtype);
Claim as_libtorch_float64(const Claim& claim);

/// The claim about one of its steps alone, on an input of its own, in the types that LibTorch's
/// operator has for it: f16 and bf16 are judged this way, because LibTorch stores what each
/// operator computes, where our contracts store the last value alone. Nothing where LibTorch's
/// arithmetic is no contract of ours (a BatchNorm that keeps its statistics in 16 bits, parameters
/// of another type than what they are added to).
std::optional<Claim> as_libtorch_operator(const Claim& claim, std::size_t step);

/// "2.11.0", of the headers this program was built with.
std::string libtorch_version();

}  // namespace gradproof
