// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gradproof {

/// The kinds of step: each has a row in core/claim/stage_traits.cpp and a header in
/// oracles/pipeline/stages.
enum class StageKind { bias, scale, divide, swish, batch_norm, group_norm };

/// "BatchNorm"
std::string_view name_of(StageKind kind);

/// One step of a Pipeline. It takes the previous step's value unless `from` names another.
struct Step {
  std::string name;  ///< of its value; single assignment: unique in the pipeline
  StageKind kind = StageKind::swish;
  std::string from;
  /// Tensor names in the stage's own order; an absent optional part is an empty string.
  ///   bias: {bias}    scale: {scale}    group_norm: {weight, beta}
  ///   batch_norm: {weight, beta, running_mean, running_var, num_batches_tracked}
  std::vector<std::string> parameters;
  /// Numbers in the stage's own order, already rounded to the contract's scalar type.
  ///   divide: {divide}    batch_norm: {eps, momentum}    group_norm: {eps}
  /// A momentum of NaN is the cumulative average.
  std::vector<double> scalars;
};

/// The mathematics that a kernel claims, as data: steps in execution order on the input `x` of
/// shape (rows, cols), the value of the last one is `y`.
struct Pipeline {
  std::vector<Step> steps;
  bool batch_statistics = true;  ///< batch_norm normalises with the batch's own mean and variance
  bool update_running = true;    ///< batch_norm updates its running statistics
  int differentiable = 1;        ///< how often, as its author declares; 2: the audit asks for more
};

/// "x -> BatchNorm -> Bias -> ... -> y", for list and explain.
std::string to_string(const Pipeline& pipeline);

}  // namespace gradproof
