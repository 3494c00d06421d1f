// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/claim/claim.h"
#include "core/graph/stages.h"

namespace gradproof {

/// The stage of oracles/pipeline/stages that evaluates a step.
enum class StageFormula { bias, scale, divide, swish, batch_norm, group_norm };

/// A number that a norm has besides its value: a saved statistic, or a buffer after the step.
enum class NormOutput { mean, rstd, running_mean, running_var };

/// One step of a claim's chain, with positions in place of names.
struct CompiledStep {
  static constexpr int kAbsent = -1;

  const GraphStage* row = nullptr;  ///< of the claim's step, also where another formula replaces it
  StageFormula formula = StageFormula::bias;
  std::size_t input = 0;  ///< what it takes: 0 is x, k + 1 the value of step k
  /// In CompiledPipeline::numbers: {bias}, {scale}, or {weight, beta, running_mean, running_var}.
  std::array<int, 4> numbers{kAbsent, kAbsent, kAbsent, kAbsent};
  /// {divisor}, or {eps, momentum}; a momentum of NaN is the cumulative average.
  std::array<double, 2> scalars{};
  bool later_norm = false;  ///< a norm with another one before it
  /// For a norm: the position of a scale right in front of it, whose gradient the norm computes in
  /// closed form. The scale itself then has `gradient_behind`, and computes no gradient.
  int scaled_by = kAbsent;
  bool gradient_behind = false;
};

/// A parameter or a buffer.
struct ParameterSlot {
  std::string name;
  std::size_t tensor = 0;  ///< position in the claim's tensors
  bool shared = false;     ///< one number that several columns share
  bool gradient = false;   ///< a step uses it as a parameter
};

/// The name of a side value, and the step that computes it.
struct NormOutputSlot {
  std::string name;
  NormOutput side = NormOutput::mean;
  std::size_t line = 0;
};

/// The chain of a claim's graph with every name looked up once, for PipelineRunner. A step that
/// moves running statistics is part of its norm's step.
struct CompiledPipeline {
  /// Throws InstrumentError for a stage that has no formula here, and for a step that takes no
  /// value.
  explicit CompiledPipeline(const Claim& claim);

  bool has_norm() const { return norm < lines.size(); }
  /// Throws InstrumentError for an unknown name.
  std::size_t number(std::string_view name) const;

  std::vector<CompiledStep> lines;
  std::vector<ParameterSlot> numbers;
  std::vector<NormOutputSlot> sides;
  std::size_t norm = 0;  ///< position of the first norm; none: past the end
  bool forward = true;
  bool backward = true;
  bool channels = false;  ///< units are rows of groups
  bool batch_statistics = true;
  bool update_running = true;
  DType scalar = DType::f32;
};

}  // namespace gradproof
