// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/claim.h"
#include "core/tensor.h"

namespace gradproof {

/// LibTorch's own modules and autograd in float64, never our stages: the outputs, buffers and
/// gradients that the claim names, floating tensors as f64. The pipeline is run as written, with
/// torch::nn::BatchNorm1d for batch_norm and autograd from the cotangent `dy`.
/// Where LibTorch leaves the saved statistics of no rows undefined, mean and rstd are NaN.
/// Throws InstrumentError for a claim that LibTorch's modules cannot say (a weight without a beta)
/// and with LibTorch's own words where it refuses (one row in training).
Tensors autograd_witness(const Claim& claim, const Tensors& inputs);

/// The claim with the contract of LibTorch's float64 CPU arithmetic: what evaluate() needs to bound
/// the witness as if it were a kernel. Pipeline and scalars stay as the claim has them.
Claim as_libtorch_float64(const Claim& claim);

/// "2.11.0", of the headers this program was built with.
std::string libtorch_version();

}  // namespace gradproof
