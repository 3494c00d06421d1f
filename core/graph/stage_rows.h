// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <span>
#include <string_view>

#include "core/graph/stages.h"

/// What the rows of core/graph/stages.cpp are put together from: operands, options and the kinds of
/// rows that several stages have.
namespace gradproof::stage_rows {

using enum StageForm;
using Text = std::string_view;

inline constexpr StageOperand kInput{.word = "x"};
inline constexpr StageOperand kWeight{
    .word = "weight", .axes = OperandAxes::over, .part = TensorPart::parameter, .optional = true};
inline constexpr StageOperand kBeta{
    .word = "beta", .axes = OperandAxes::over, .part = TensorPart::parameter, .optional = true};
inline constexpr StageOperand kChannelWeight{.word = "weight",
                                             .axes = OperandAxes::channel,
                                             .part = TensorPart::parameter,
                                             .optional = true};
inline constexpr StageOperand kChannelBeta{
    .word = "beta", .axes = OperandAxes::channel, .part = TensorPart::parameter, .optional = true};

inline constexpr std::array kOne{kInput};
inline constexpr std::array kTwo{StageOperand{.word = "x", .number = true},
                                 StageOperand{.word = "other", .number = true}};
inline constexpr std::array kWithBias{
    kInput,
    StageOperand{.word = "bias", .axes = OperandAxes::channel, .part = TensorPart::parameter}};
inline constexpr std::array kWithScale{
    kInput,
    StageOperand{.word = "scale", .axes = OperandAxes::channel, .part = TensorPart::parameter}};
inline constexpr std::array kGated{StageOperand{.word = "gate"}, StageOperand{.word = "up"}};
inline constexpr std::array kAffineOver{kInput, kWeight, kBeta};
inline constexpr std::array kWeightOver{kInput, kWeight};
inline constexpr std::array kAffineChannel{kInput, kChannelWeight, kChannelBeta};
inline constexpr StageOperand kRunningMean{
    .word = "mean", .axes = OperandAxes::channel, .part = TensorPart::running_mean};
inline constexpr StageOperand kRunningVariance{
    .word = "var", .axes = OperandAxes::channel, .part = TensorPart::running_variance};
inline constexpr std::array kEvaluated{kInput, kRunningMean, kRunningVariance, kChannelWeight,
                                       kChannelBeta};
inline constexpr std::array kWithRunningMean{kInput, kRunningMean};
inline constexpr std::array kWithRunningVariance{kInput, kRunningVariance};
inline constexpr std::array kTurned{kInput, StageOperand{.word = "cos", .axes = OperandAxes::tail},
                                    StageOperand{.word = "sin", .axes = OperandAxes::tail}};
inline constexpr std::array kProduct{
    kInput,
    StageOperand{.word = "weight", .axes = OperandAxes::matrix, .part = TensorPart::parameter},
    StageOperand{.word = "bias",
                 .axes = OperandAxes::made,
                 .part = TensorPart::parameter,
                 .optional = true}};
inline constexpr std::array kLabelled{
    kInput,
    StageOperand{.word = "labels", .axes = OperandAxes::labels, .part = TensorPart::labels}};

inline constexpr std::array<Text, 2> kApproximations{"none", "tanh"};
inline constexpr std::array kGeluOptions{
    StageOption{.key = "approximate", .words = kApproximations}};
inline constexpr std::array kSlope{StageOption{.key = "slope", .initial = 0.01}};
inline constexpr std::array kLimits{StageOption{.key = "min", .initial = -1},
                                    StageOption{.key = "max", .initial = 1}};
inline constexpr std::array kCap{StageOption{.key = "cap", .minimum = 0}};
inline constexpr std::array kEps{StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
inline constexpr std::array kSmallEps{StageOption{.key = "eps", .initial = 1e-6, .minimum = 0}};
inline constexpr std::array kGroups{StageOption{.key = "groups", .minimum = 1, .whole = true},
                                    StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
inline constexpr std::array kMomentum{StageOption{.key = "momentum", .initial = 0.1, .minimum = 0}};
inline constexpr std::array kWindow{
    StageOption{.key = "window", .minimum = 1, .whole = true},
    StageOption{.key = "stride", .initial = 0, .minimum = 0, .whole = true},
    StageOption{.key = "padding", .initial = 0, .minimum = 0, .whole = true}};

constexpr GraphStage unary(Text word, Text formula, Text adjoint, Text libtorch,
                           std::span<const StageOption> options = {}, Text synonym = {}) {
  return {.word = word,
          .synonym = synonym,
          .operands = kOne,
          .options = options,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
constexpr GraphStage binary(Text word, Text formula, Text adjoint, Text libtorch,
                            std::span<const StageOperand> operands = kTwo, Text synonym = {}) {
  return {.word = word,
          .synonym = synonym,
          .operands = operands,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
constexpr GraphStage reduction(Text word, Text formula, Text adjoint, Text libtorch) {
  return {.word = word,
          .form = reduces,
          .operands = kOne,
          .axes = StageAxes::said,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}
constexpr GraphStage norm(Text word, StageAxes axes, std::span<const StageOperand> operands,
                          std::span<const StageOption> options, Text formula, Text libtorch) {
  return {.word = word,
          .form = normalises,
          .operands = operands,
          .axes = axes,
          .options = options,
          .formula = formula,
          .adjoint = word == "rms_norm" ? "r (g - xhat mean(g xhat)), g = weight dy"
                                        : "r (g - mean(g) - xhat mean(g xhat)), g = weight dy",
          .libtorch = libtorch};
}
/// A norm with statistics that it is given: those that training keeps.
constexpr GraphStage evaluated(Text word, Text libtorch) {
  return {.word = word,
          .form = normalises,
          .operands = kEvaluated,
          .options = kEps,
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
          .formula = formula,
          .adjoint = "0: nothing goes back",
          .libtorch = libtorch};
}
constexpr GraphStage pool(Text word, Text formula, Text adjoint, Text libtorch) {
  return {.word = word,
          .form = slides,
          .operands = kOne,
          .axes = StageAxes::spatial,
          .options = kWindow,
          .formula = formula,
          .adjoint = adjoint,
          .libtorch = libtorch};
}

}  // namespace gradproof::stage_rows
