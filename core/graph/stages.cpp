// SPDX-License-Identifier: Apache-2.0
#include "core/graph/stages.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

using enum StageForm;
using Text = std::string_view;

constexpr StageOperand kInput{.word = "x"};
constexpr StageOperand kWeight{
    .word = "weight", .axes = OperandAxes::over, .parameter = true, .optional = true};
constexpr StageOperand kBeta{
    .word = "beta", .axes = OperandAxes::over, .parameter = true, .optional = true};
constexpr StageOperand kChannelWeight{
    .word = "weight", .axes = OperandAxes::channel, .parameter = true, .optional = true};
constexpr StageOperand kChannelBeta{
    .word = "beta", .axes = OperandAxes::channel, .parameter = true, .optional = true};

constexpr std::array kOne{kInput};
constexpr std::array kTwo{StageOperand{.word = "x", .number = true},
                          StageOperand{.word = "other", .number = true}};
constexpr std::array kWithBias{
    kInput, StageOperand{.word = "bias", .axes = OperandAxes::channel, .parameter = true}};
constexpr std::array kWithScale{
    kInput, StageOperand{.word = "scale", .axes = OperandAxes::channel, .parameter = true}};
constexpr std::array kGated{StageOperand{.word = "gate"}, StageOperand{.word = "up"}};
constexpr std::array kAffineOver{kInput, kWeight, kBeta};
constexpr std::array kWeightOver{kInput, kWeight};
constexpr std::array kAffineChannel{kInput, kChannelWeight, kChannelBeta};
constexpr std::array kTurned{kInput, StageOperand{.word = "cos", .axes = OperandAxes::tail},
                             StageOperand{.word = "sin", .axes = OperandAxes::tail}};
constexpr std::array kLabelled{kInput, StageOperand{.word = "labels", .axes = OperandAxes::labels}};

constexpr std::array<Text, 2> kApproximations{"none", "tanh"};
constexpr std::array kGeluOptions{StageOption{.key = "approximate", .words = kApproximations}};
constexpr std::array kSlope{StageOption{.key = "slope", .initial = 0.01}};
constexpr std::array kLimits{StageOption{.key = "min", .initial = -1},
                             StageOption{.key = "max", .initial = 1}};
constexpr std::array kCap{StageOption{.key = "cap", .minimum = 0}};
constexpr std::array kEps{StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
constexpr std::array kSmallEps{StageOption{.key = "eps", .initial = 1e-6, .minimum = 0}};
constexpr std::array kGroups{StageOption{.key = "groups", .minimum = 1, .whole = true},
                             StageOption{.key = "eps", .initial = 1e-5, .minimum = 0}};
constexpr std::array kWindow{
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

constexpr std::array kStages{
    unary("relu", "max(x, 0)", "dy where x > 0, else 0", "relu"),
    unary("leaky_relu", "x where x > 0, else slope x", "dy, or slope dy", "leaky_relu", kSlope),
    unary("gelu", "x (1 + erf(x/sqrt 2))/2; tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2",
          "dy (Phi(x) + x phi(x))", "gelu", kGeluOptions),
    unary("sigmoid", "1/(1 + exp(-x))", "dy s (1 - s)", "sigmoid"),
    unary("tanh", "tanh(x)", "dy (1 - y^2)", "tanh"),
    unary("silu", "x sigmoid(x)", "dy s (1 + x (1 - s)), s = sigmoid(x)", "silu", {}, "swish"),
    unary("softplus", "log(1 + exp(x))", "dy sigmoid(x)", "softplus"),
    unary("mish", "x tanh(softplus(x))", "dy (t + x (1 - t^2) sigmoid(x)), t = tanh(softplus(x))",
          "mish"),
    unary("hardswish", "x min(max(x + 3, 0), 6)/6", "dy (2 x + 3)/6 between -3 and 3", "hardswish"),
    unary("hardtanh", "min(max(x, min), max)", "dy where min < x < max, else 0", "hardtanh",
          kLimits, "clamp"),
    unary("abs", "|x|", "dy sign(x)", "abs"),
    unary("neg", "-x", "-dy", "neg"),
    unary("detach", "x", "0: nothing goes back", "detach"),
    unary("square", "x^2", "2 x dy", "square"),
    unary("exp", "exp(x)", "dy y", "exp"),
    unary("softcap", "cap tanh(x/cap)", "dy (1 - tanh(x/cap)^2)", "cap * tanh(x / cap)", kCap),
    binary("add", "x + other", "dy, dy", "add", kTwo, "residual_add"),
    binary("subtract", "x - other", "dy, -dy", "sub"),
    binary("multiply", "x other", "dy other, dy x", "mul"),
    binary("divide", "x / other", "dy/other, -dy x/other^2", "div"),
    binary("minimum", "min(x, other)", "dy to the smaller; at a tie any share", "minimum"),
    binary("maximum", "max(x, other)", "dy to the larger; at a tie any share", "maximum"),
    binary("bias", "x + bias", "dy; sum dy", "add", kWithBias),
    binary("scale", "x scale", "dy scale; sum dy x", "mul", kWithScale),
    binary("swiglu", "silu(gate) up", "dy up silu'(gate), dy silu(gate)", "silu(gate) * up",
           kGated),
    binary("geglu", "gelu(gate) up", "dy up gelu'(gate), dy gelu(gate)", "gelu(gate) * up", kGated),
    reduction("sum", "sum x", "dy", "sum"),
    reduction("mean", "sum x / N", "dy / N", "mean"),
    reduction("max", "max x", "dy to the largest; at ties any share", "amax"),
    reduction("min", "min x", "dy to the smallest; at ties any share", "amin"),
    reduction("logsumexp", "m + log sum exp(x - m), m = max x", "dy exp(x - y)", "logsumexp"),
    GraphStage{.word = "softmax",
               .form = normalises,
               .operands = kOne,
               .axes = StageAxes::last,
               .formula = "exp(x - m) / sum exp(x - m), m = max x",
               .adjoint = "y (dy - sum dy y)",
               .libtorch = "softmax"},
    GraphStage{.word = "log_softmax",
               .form = normalises,
               .operands = kOne,
               .axes = StageAxes::last,
               .formula = "x - m - log sum exp(x - m), m = max x",
               .adjoint = "dy - exp(y) sum dy",
               .libtorch = "log_softmax"},
    norm("layer_norm", StageAxes::last, kAffineOver, kEps,
         "weight (x - mean)/sqrt(variance + eps) + beta", "layer_norm"),
    norm("rms_norm", StageAxes::last, kWeightOver, kSmallEps, "weight x/sqrt(mean(x^2) + eps)",
         "rms_norm"),
    norm("batch_norm", StageAxes::rest, kAffineChannel, kEps,
         "weight (x - mean)/sqrt(variance + eps) + beta, of each channel", "batch_norm"),
    norm("group_norm", StageAxes::group, kAffineChannel, kGroups,
         "weight (x - mean)/sqrt(variance + eps) + beta, of each group", "group_norm"),
    norm("instance_norm", StageAxes::spatial, kAffineChannel, kEps,
         "weight (x - mean)/sqrt(variance + eps) + beta, of each channel of a sample",
         "instance_norm"),
    pool("avg_pool", "sum of the window / its size, padding counted", "dy / size", "avg_poolNd"),
    pool("max_pool", "max of the window", "dy to the largest; at ties any share", "max_poolNd"),
    GraphStage{.word = "nll_loss",
               .form = selects,
               .operands = kLabelled,
               .axes = StageAxes::last,
               .formula = "-mean of x[labels]",
               .adjoint = "-dy / N at the labels",
               .libtorch = "nll_loss"},
    GraphStage{
        .word = "rotary",
        .form = turns,
        .operands = kTurned,
        .axes = StageAxes::last,
        .formula = "x cos + half(x) sin, half(x) = (-x2, x1) of the last axis' halves x1, x2",
        .adjoint = "dy cos - half(dy sin); dy x, dy half(x)",
        .libtorch = "x * cos + rotate_half(x) * sin"},
};

}  // namespace

std::span<const GraphStage> graph_stages() { return kStages; }

bool is_graph_stage(std::string_view word) {
  return std::any_of(kStages.begin(), kStages.end(), [&](const GraphStage& s) {
    return s.word == word || (!s.synonym.empty() && s.synonym == word);
  });
}

const GraphStage& graph_stage(std::string_view word) {
  std::vector<std::string> known;
  for (const GraphStage& s : kStages) {
    if (s.word == word || (!s.synonym.empty() && s.synonym == word)) return s;
    known.emplace_back(s.word);
    if (!s.synonym.empty()) known.emplace_back(s.synonym);
  }
  if (word == "dropout")
    throw UsageError(
        "stage 'dropout' is refused: in training its result is random, in evaluation it is its "
        "operand; leave it out");
  throw UsageError(fmt::format("unknown stage '{}'; 'gradproof list stages' names them{}", word,
                               did_you_mean(word, known)));
}

}  // namespace gradproof
