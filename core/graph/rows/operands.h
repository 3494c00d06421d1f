// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "core/graph/axes/moves.h"
#include "core/graph/grid.h"
#include "core/graph/stages.h"

/// The operands and options that the rows of core/graph/stages.cpp have.
namespace gradproof::stage_rows {

using enum StageForm;
using namespace move_options;
using Text = std::string_view;

inline constexpr std::array<Text, 3> kSummands{"0", "", "1000"};
inline constexpr std::array<Text, 3> kFactors{"1", "-0.5", "1000"};
inline constexpr std::array<Text, 3> kDivisors{"1", "-3", "0.3"};

constexpr StageOperand input(Text word = "x", bool curved = false) {
  return {.word = word, .curved = curved};
}
constexpr StageOperand parameter(Text word, OperandAxes axes, bool optional = false) {
  return {.word = word, .axes = axes, .part = TensorPart::parameter, .optional = optional};
}
constexpr StageOperand summand(StageOperand operand) {
  operand.identity = 0;
  operand.exhaustive = kSummands;
  return operand;
}
constexpr StageOperand factor(StageOperand operand) {
  operand.identity = 1;
  operand.multiplies = true;
  operand.exhaustive = kFactors;
  return operand;
}
constexpr StageOperand number_too(StageOperand operand) {
  operand.number = true;
  return operand;
}

inline constexpr StageOperand kOther{.word = "other", .number = true};
inline constexpr StageOperand kSubtrahend{
    .word = "other", .number = true, .subtracted = true, .identity = 0, .exhaustive = kSummands};
inline constexpr StageOperand kDivisor{.word = "other",
                                       .number = true,
                                       .curved = true,
                                       .multiplies = true,
                                       .identity = 1,
                                       .exhaustive = kDivisors};
inline constexpr StageOperand kWeight = factor(parameter("weight", OperandAxes::over, true));
inline constexpr StageOperand kBeta = summand(parameter("beta", OperandAxes::over, true));
inline constexpr StageOperand kChannelWeight =
    factor(parameter("weight", OperandAxes::channel, true));
inline constexpr StageOperand kChannelBeta = summand(parameter("beta", OperandAxes::channel, true));

inline constexpr std::array kOne{input()};
inline constexpr std::array kOneCurved{input("x", true)};
inline constexpr std::array kTerms{number_too(input()), summand(kOther)};
inline constexpr std::array kDifference{number_too(input()), kSubtrahend};
inline constexpr std::array kFactorsOf{number_too(input()), factor(kOther)};
inline constexpr std::array kQuotient{number_too(input()), kDivisor};
inline constexpr std::array kCompared{
    number_too(input("x", true)), StageOperand{.word = "other", .number = true, .curved = true}};
inline constexpr std::array kWithBias{input(), summand(parameter("bias", OperandAxes::channel))};
inline constexpr std::array kWithScale{input(), factor(parameter("scale", OperandAxes::channel))};
inline constexpr std::array kGated{input("gate", true),
                                   StageOperand{.word = "up", .multiplies = true}};
inline constexpr std::array kAffineOver{input("x", true), kWeight, kBeta};
inline constexpr std::array kWeightOver{input("x", true), kWeight};
inline constexpr std::array kAffineChannel{input("x", true), kChannelWeight, kChannelBeta};
inline constexpr StageOperand kRunningMean{
    .word = "mean", .axes = OperandAxes::channel, .part = TensorPart::running_mean, .identity = 0};
inline constexpr StageOperand kRunningVariance{
    .word = "var", .axes = OperandAxes::channel, .part = TensorPart::running_variance};
constexpr StageOperand multiplying(StageOperand operand) {
  operand.multiplies = true;
  return operand;
}
/// A mask of its own is drawn as a coin for each number; a computed one has an error.
inline constexpr std::array kChosen{StageOperand{.word = "mask",
                                                 .part = TensorPart::fixed,
                                                 .curved = true,
                                                 .multiplies = true,
                                                 .detached = true},
                                    multiplying(number_too(input())), multiplying(kOther)};
/// The factor may lack axes of x.
inline constexpr std::array kRecurrence{
    input(),
    StageOperand{.word = "factor", .axes = OperandAxes::some, .curved = true, .multiplies = true},
    multiplying({.word = "initial", .axes = OperandAxes::others, .optional = true})};
inline constexpr std::array kEvaluated{input(), kRunningMean, multiplying(kRunningVariance),
                                       kChannelWeight, kChannelBeta};
inline constexpr std::array kWithRunningMean{input(), kRunningMean};
inline constexpr std::array kWithRunningVariance{input(), kRunningVariance};
inline constexpr std::array kTurned{
    input(), StageOperand{.word = "cos", .axes = OperandAxes::tail, .multiplies = true},
    StageOperand{.word = "sin", .axes = OperandAxes::tail, .multiplies = true}};
inline constexpr std::array kProduct{input(),
                                     StageOperand{.word = "weight",
                                                  .axes = OperandAxes::matrix,
                                                  .part = TensorPart::parameter,
                                                  .multiplies = true},
                                     summand(parameter("bias", OperandAxes::made, true))};
inline constexpr std::array kContracted{input(),
                                        multiplying({.word = "other", .axes = OperandAxes::any})};
inline constexpr StageOperand kFilter{.word = "weight",
                                      .axes = OperandAxes::filter,
                                      .part = TensorPart::parameter,
                                      .multiplies = true};
inline constexpr std::array kConvolved{input(), kFilter,
                                       summand(parameter("bias", OperandAxes::made, true))};
inline constexpr std::array kLabelled{
    input(),
    StageOperand{.word = "labels", .axes = OperandAxes::labels, .part = TensorPart::labels}};

inline constexpr StageOperand kLabels{
    .word = "labels", .axes = OperandAxes::others, .part = TensorPart::labels};
inline constexpr std::array kByLabels{input(), kLabels};
inline constexpr std::array kCounted{kLabels};
inline constexpr std::array kTwo{input(), StageOperand{.word = "other"}};

inline constexpr std::array<Text, 1> kExp{"exp"};
inline constexpr std::array<Text, 1> kLog{"log"};
inline constexpr std::array<Text, 1> kLog1p{"log1p"};
inline constexpr std::array<Text, 1> kSin{"sin"};
inline constexpr std::array<Text, 3> kExpLogPow{"exp", "log", "pow"};
inline constexpr std::array<Text, 2> kExpTanh{"exp", "tanh"};
inline constexpr std::array<Text, 2> kExpLog{"exp", "log"};
inline constexpr std::array<Text, 2> kExpLog1p{"exp", "log1p"};
inline constexpr std::array<Text, 2> kErfExp{"erf", "exp"};
inline constexpr std::array<Text, 3> kExpLog1pTanh{"exp", "log1p", "tanh"};
inline constexpr std::array<Text, 3> kErfExpTanh{"erf", "exp", "tanh"};

inline constexpr std::array<Text, 2> kApproximations{"none", "tanh"};
inline constexpr std::array kGeluOptions{
    StageOption{.key = "approximate", .words = kApproximations}};
inline constexpr std::array kSlope{StageOption{.key = "slope", .initial = 0.01, .identity = 1}};
inline constexpr std::array kLimits{StageOption{.key = "min", .initial = -1, .at_most = "max"},
                                    StageOption{.key = "max", .initial = 1}};
inline constexpr std::array kElu{StageOption{.key = "alpha", .initial = 1},
                                 StageOption{.key = "scale", .initial = 1, .identity = 1},
                                 StageOption{.key = "input_scale", .initial = 1, .minimum = 0}};
inline constexpr std::array kRounding{StageOption{.key = kToType, .words = kGridTypes},
                                      StageOption{.key = kOverflow, .words = kOverflows},
                                      StageOption{.key = kTies, .words = kTieRules}};
inline constexpr std::array kExponent{StageOption{.key = "exponent"}};
inline constexpr std::array kCap{StageOption{.key = "cap", .minimum = 0}};
inline constexpr std::array kEps{StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
inline constexpr std::array kSmallEps{StageOption{.key = "eps", .initial = 1e-6, .minimum = 0}};
inline constexpr std::array kGroups{StageOption{.key = "groups", .minimum = 1, .whole = true},
                                    StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
inline constexpr std::array kCorrection{
    StageOption{.key = "correction", .initial = 1, .minimum = 0, .whole = true}};
inline constexpr std::array kMomentum{StageOption{.key = "momentum", .initial = 0.1, .minimum = 0}};
inline constexpr std::array kMomentumAndCorrection{kMomentum[0], kCorrection[0]};
/// The results of a row that a mask leaves empty; the first word is the formula's own.
inline constexpr std::array<Text, 3> kOfEmptyRows{"nan", "zero", "any"};
inline constexpr std::array<Text, 3> kOfEmptySums{"-inf", "zero", "any"};
inline constexpr std::array<Text, 2> kOrders{"descending", "ascending"};
inline constexpr std::array kSorted{StageOption{.key = "order", .words = kOrders}};
inline constexpr std::array kEmptyRows{StageOption{.key = kEmpty, .words = kOfEmptyRows}};
inline constexpr std::array kEmptySums{StageOption{.key = kEmpty, .words = kOfEmptySums}};

constexpr StageOption whole_number(Text key, double initial, double minimum) {
  return {.key = key, .initial = initial, .minimum = minimum, .whole = true};
}
constexpr StageOption for_each_axis(StageOption option) {
  option.each_axis = true;
  return option;
}
inline constexpr StageOption kWindowSize{
    .key = "window", .minimum = 1, .whole = true, .each_axis = true};
inline constexpr std::array kWindow{kWindowSize, for_each_axis(whole_number(kStride, 0, 0)),
                                    for_each_axis(whole_number(kPadding, 0, 0))};
inline constexpr std::array kDilatedWindow{kWindow[0], kWindow[1], kWindow[2],
                                           for_each_axis(whole_number(kDilation, 1, 1))};
inline constexpr std::array kConvolution{
    for_each_axis(whole_number(kStride, 1, 1)), for_each_axis(whole_number(kPadding, 0, 0)),
    for_each_axis(whole_number(kDilation, 1, 1)), whole_number(kChannelGroups, 1, 1)};
inline constexpr std::array kTransposed{kConvolution[0], kConvolution[1], kConvolution[2],
                                        kConvolution[3],
                                        for_each_axis(whole_number(kMorePadding, 0, 0))};

inline constexpr std::array<Text, 4> kPaddings{"zeros", "reflect", "replicate", "circular"};
inline constexpr std::array kIgnored{whole_number(kIgnore, kNothingIgnored, -kMostWhole)};
inline constexpr std::array kPutOptions{kIgnored[0], whole_number(move_options::kSize, 0, 1)};
inline constexpr std::array kRepeated{whole_number(move_options::kSize, 0, 1)};
inline constexpr std::array kSplit{whole_number(kSplitParts, 0, 1)};
inline constexpr std::array kSlice{whole_number(kFirst, 0, 0), whole_number(kCount, 0, 1),
                                   whole_number(kEvery, 1, 1)};
inline constexpr std::array kSelect{whole_number(kAt, kNoDefault, -kMostWhole)};
constexpr StageOption fill(double initial) {
  return {.key = kFillValue, .initial = initial, .infinite = true};
}
inline constexpr std::array kPad{whole_number(kBefore, 0, 0), whole_number(kAfter, 0, 0),
                                 StageOption{.key = kMode, .words = kPaddings}, fill(0)};
inline constexpr std::array kTriangle{whole_number(kDiagonal, 0, -kMostWhole)};
inline constexpr std::array kCausal{whole_number(kDiagonal, 0, -kMostWhole),
                                    whole_number(kBand, 0, 1),
                                    fill(-std::numeric_limits<double>::infinity())};
inline constexpr std::array kRoll{whole_number(kShift, kNoDefault, -kMostWhole)};

}  // namespace gradproof::stage_rows
