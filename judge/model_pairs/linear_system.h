// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "judge/model_pairs/linear_run.h"
#include "judge/systems.h"

/// The model pairs as systems under test: a Case of linear_batchnorm_bias_divide_swish and the like
/// runs the pair's own ModelNew, its Linear included.
namespace gradproof {

/// linear_batchnorm_bias_divide_swish (P97), linear_scale_batchnorm (P39),
/// linear_swish_bias_groupnorm (P37), linear_groupnorm_swish_multiply_swish (P88).
std::vector<ModelPair> model_pairs();

/// The schemas of these systems.
std::vector<SchemaPtr> linear_schemas();

/// Draws network input, weights, parameters and buffers as the Case says, builds the pair's
/// ModelNew, and runs one step of it. Nothing is an identity. Throws what LibTorch throws, and
/// simt::NoDevice for device=cuda where there is none.
LinearRun run_linear(const Case& c);

/// The name in the model of a tensor that the kernel calls so: weight is bn.weight, d_weight is
/// d_bn.weight, x is z, multiply is multiply_weight.
std::string record_name(const Case& c, const std::string& kernel_tensor);

}  // namespace gradproof
