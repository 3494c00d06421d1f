// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// Runs the claim's pipeline with LibTorch's modules and autograd, without any of our stages.
/// Returns the outputs, buffers and gradients that the claim names, computed in the types of the
/// claim's tensors and returned in the types of LibTorch's results. batch_norm is
/// torch::nn::BatchNorm1d; autograd starts from the cotangent `dy`. With no rows LibTorch leaves
/// the saved statistics undefined: then mean and rstd are NaN. In evaluation it saves none: then
/// they are running_mean and 1/sqrt(running_var + eps). Throws InstrumentError for a claim that
/// LibTorch's modules cannot express (a weight without a beta), and with LibTorch's message where
/// LibTorch refuses (one row in training).
Tensors libtorch_operators(const Claim& claim, const Tensors& inputs);

/// libtorch_operators() with all tensors in float64, for any types of the claim: a witness.
Tensors autograd_witness(const Claim& claim, const Tensors& inputs);

/// The claim with the contract of LibTorch's CPU arithmetic in this type, f32 or f64, for all its
/// numbers: evaluate() can then bound LibTorch as if it were a kernel. Pipeline and scalars stay as
/// the claim has them.
Claim as_libtorch(const Claim& claim, DType dtype);
Claim as_libtorch_float64(const Claim& claim);

/// A claim about one step alone, with its own input, in the types of LibTorch's operator for the
/// step. f16 and bf16 are judged in this way, because LibTorch rounds the result of each operator
/// to the stored type, while our contracts round the last value only. Returns nullopt if none of
/// our contracts describes LibTorch's arithmetic (a BatchNorm that keeps its statistics in 16 bits,
/// parameters of another type than the values that they are added to).
std::optional<Claim> as_libtorch_operator(const Claim& claim, std::size_t step);

/// The version of the LibTorch that the module was built with: "2.11.0"; "none" without a module.
std::string libtorch_version();

/// True if LibTorch can be used; the call loads it (oracles/libtorch/load.h). If it cannot,
/// libtorch_operators() and autograd_witness() throw InstrumentError, graph_in_libtorch()
/// NoOperator. All of them throw BrokenModule if the module is there but broken.
bool has_libtorch();

/// The text in place of LibTorch's answer if there is none.
inline constexpr const char* kNoLibTorch =
    "this worker runs without LibTorch: libgradproof_libtorch.so is not there";

}  // namespace gradproof
