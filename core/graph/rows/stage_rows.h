// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "core/graph/rows/operands.h"

/// The kinds of rows of core/graph/stages.cpp that several stages have.
namespace gradproof::stage_rows {

/// A stage is curved and smooth, takes no function and has no contract of its own in 16 bits,
/// unless these functions say otherwise.
constexpr GraphStage affine(GraphStage stage) {
  stage.operands = kOne;
  return stage;
}
constexpr GraphStage kinked(Text where, GraphStage stage) {
  stage.kinks = where;
  return stage;
}
constexpr GraphStage taking(std::span<const Text> functions, GraphStage stage) {
  stage.functions = functions;
  return stage;
}
constexpr GraphStage defined_from(double least, GraphStage stage) {
  stage.defined_from = least;
  return stage;
}

constexpr GraphStage detached(GraphStage stage) {
  stage.detached = true;
  return stage;
}

constexpr GraphStage unary(Text word, Text formula, Text adjoint, Text libtorch,
                           std::span<const StageOption> options = {}, Text synonym = {}) {
  return {.word = word,
          .synonym = synonym,
          .operands = kOneCurved,
          .options = options,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
/// LibTorch promotes the operand beside parameters of another type.
constexpr GraphStage binary(Text word, Text formula, Text adjoint, Text libtorch,
                            std::span<const StageOperand> operands, Text synonym = {}) {
  return {.word = word,
          .synonym = synonym,
          .operands = operands,
          .libtorch_16 = LibTorch16::same_type,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
constexpr GraphStage reduction(Text word, Text formula, Text adjoint, Text libtorch) {
  return {.word = word,
          .form = reduces,
          .operands = kOneCurved,
          .axes = StageAxes::said,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
/// A statistic that a norm keeps of what it takes.
constexpr GraphStage moment(std::span<const StageOption> options, GraphStage stage) {
  stage.options = options;
  stage.of_moments = true;
  return stage;
}
constexpr GraphStage with_options(std::span<const StageOption> options, GraphStage stage) {
  stage.options = options;
  return stage;
}
constexpr GraphStage norm(Text word, StageAxes axes, std::span<const StageOperand> operands,
                          std::span<const StageOption> options, Text formula, Text libtorch,
                          bool takes_mean = true) {
  return {.word = word,
          .form = normalises,
          .operands = operands,
          .axes = axes,
          .options = options,
          .statistics = StageStatistics::own,
          .ignores_shift = takes_mean,
          .formula = formula,
          .adjoint = takes_mean ? "r (g - mean(g) - xhat mean(g xhat)), g = weight dy"
                                : "r (g - xhat mean(g xhat)), g = weight dy",
          .libtorch = libtorch};
}
/// Statistics in the type of 16 bits of the parameters enter the variance (mean_data of param_t).
constexpr GraphStage of_float32_parameters(GraphStage stage) {
  stage.libtorch_16 = LibTorch16::float32_parameters;
  return stage;
}
/// A norm with statistics that it is given: those that training keeps.
constexpr GraphStage evaluated(Text word, Text libtorch) {
  return {.word = word,
          .form = normalises,
          .operands = kEvaluated,
          .options = kEps,
          .statistics = StageStatistics::given,
          .libtorch_16 = LibTorch16::float32_parameters,
          .formula = "weight (x - mean)/sqrt(var + eps) + beta, of each channel",
          .adjoint = "weight dy r, r = 1/sqrt(var + eps); mean and var have none",
          .libtorch = libtorch};
}
/// LibTorch writes running statistics into its operand.
constexpr GraphStage running(Text word, std::span<const StageOperand> operands, Text formula,
                             Text libtorch) {
  return {.word = word,
          .form = reduces,
          .operands = operands,
          .axes = StageAxes::rest,
          .options = kMomentum,
          .detached = true,
          .libtorch_16 = LibTorch16::float32_parameters,
          .formula = formula,
          .adjoint = "0: nothing goes back",
          .libtorch = libtorch};
}
constexpr GraphStage convolution(Text word, std::span<const StageOption> options, bool widens,
                                 Text adjoint, Text libtorch) {
  return {.word = word,
          .form = contracts,
          .operands = kConvolved,
          .axes = StageAxes::spatial,
          .options = options,
          .widens = widens,
          .formula = widens ? "sum of x weight over all windows that an element lies in, + bias"
                            : "sum x weight over window and channels, + bias",
          .adjoint = adjoint,
          .libtorch = libtorch};
}
/// Its value has numbers of its operands; those of the gradient are of the cotangent.
constexpr GraphStage moving(Text word, StageMove move, std::span<const StageOption> options,
                            Text formula, Text adjoint, Text libtorch,
                            std::span<const StageOperand> operands = kOne) {
  return {.word = word,
          .form = moves,
          .operands = operands,
          .axes = StageAxes::said,
          .options = options,
          .move = move,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
/// A comparison is 1 or 0, and nothing goes back through it.
constexpr GraphStage comparison(Text word, Text formula, Text libtorch) {
  return kinked("x = other",
                detached(binary(word, formula, "0: nothing goes back", libtorch, kCompared)));
}
/// Its value is made along one axis, number after number.
constexpr GraphStage scan(Text word, std::span<const StageOperand> operands, Text formula,
                          Text adjoint, Text libtorch) {
  return {.word = word,
          .form = scans,
          .operands = operands,
          .axes = StageAxes::said,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
constexpr GraphStage pool(Text word, std::span<const StageOption> options, Text formula,
                          Text adjoint, Text libtorch) {
  return {.word = word,
          .form = slides,
          .operands = kOneCurved,
          .axes = StageAxes::spatial,
          .options = options,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}

}  // namespace gradproof::stage_rows
