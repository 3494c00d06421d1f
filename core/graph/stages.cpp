// SPDX-License-Identifier: Apache-2.0
#include "core/graph/stages.h"

#include <algorithm>
#include <array>

#include "core/graph/rows/stage_rows.h"

namespace gradproof {
namespace {

using namespace stage_rows;

constexpr GraphStage detached(GraphStage stage) {
  stage.detached = true;
  return stage;
}

constexpr std::array kStages{
    kinked("x = 0", unary("relu", "max(x, 0)", "dy where x > 0, else 0", "F.relu({x})")),
    kinked("x = 0", unary("leaky_relu", "x where x > 0, else slope x", "dy, or slope dy",
                          "F.leaky_relu({x}, {slope})", kSlope)),
    taking(kErfExpTanh,
           unary("gelu",
                 "x (1 + erf(x/sqrt 2))/2; tanh: x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))/2",
                 "dy (Phi(x) + x phi(x))", "F.gelu({x}, approximate={approximate})", kGeluOptions)),
    taking(kExp, unary("sigmoid", "1/(1 + exp(-x))", "dy s (1 - s)", "torch.sigmoid({x})")),
    taking(kExpTanh, unary("tanh", "tanh(x)", "dy (1 - y^2)", "torch.tanh({x})")),
    taking(kExp, unary("silu", "x sigmoid(x)", "dy s (1 + x (1 - s)), s = sigmoid(x)",
                       "F.silu({x})", {}, "swish")),
    taking(kExpLog1p, unary("softplus", "log(1 + exp(x))", "dy sigmoid(x)", "F.softplus({x})")),
    taking(kExpLog1pTanh,
           unary("mish", "x tanh(softplus(x))",
                 "dy (t + x (1 - t^2) sigmoid(x)), t = tanh(softplus(x))", "F.mish({x})")),
    kinked("x = -3, 3", unary("hardswish", "x min(max(x + 3, 0), 6)/6",
                              "dy (2 x + 3)/6 between -3 and 3", "F.hardswish({x})")),
    kinked("x = min, max",
           unary("hardtanh", "min(max(x, min), max)", "dy where min < x < max, else 0",
                 "F.hardtanh({x}, {min}, {max})", kLimits, "clamp")),
    kinked("x = 0", unary("abs", "|x|", "dy sign(x)", "torch.abs({x})")),
    affine(unary("neg", "-x", "-dy", "-{x}")),
    detached(affine(unary("detach", "x", "0: nothing goes back", "{x}.detach().clone()"))),
    unary("square", "x^2", "2 x dy", "torch.square({x})"),
    taking(kExp, unary("exp", "exp(x)", "dy y", "torch.exp({x})")),
    taking(kLog, defined_from(0, unary("log", "log(x)", "dy / x", "torch.log({x})"))),
    taking(kLog1p,
           defined_from(-1, unary("log1p", "log(1 + x)", "dy / (1 + x)", "torch.log1p({x})"))),
    defined_from(0, unary("sqrt", "sqrt(x)", "dy / (2 y)", "torch.sqrt({x})")),
    taking(kErfExp, unary("erf", "erf(x)", "dy 2/sqrt(pi) exp(-x^2)", "torch.erf({x})")),
    taking(kExpTanh, unary("softcap", "cap tanh(x/cap)", "dy (1 - tanh(x/cap)^2)",
                           "torch.tanh({x} / {cap}) * {cap}", kCap)),
    binary("add", "x + other", "dy; dy", "{x} + {other}", kTerms, "residual_add"),
    binary("subtract", "x - other", "dy; -dy", "{x} - {other}", kDifference),
    binary("multiply", "x other", "dy other; dy x", "{x} * {other}", kFactorsOf),
    binary("divide", "x / other", "dy / other; -dy x / other^2", "{x} / {other}", kQuotient),
    kinked("x = other", binary("minimum", "min(x, other)", "dy to the smaller, at a tie any share",
                               "torch.minimum({x}, {other})", kCompared)),
    kinked("x = other", binary("maximum", "max(x, other)", "dy to the larger, at a tie any share",
                               "torch.maximum({x}, {other})", kCompared)),
    binary("bias", "x + bias", "dy; sum dy", "{x} + {bias}", kWithBias),
    binary("scale", "x scale", "dy scale; sum dy x", "{x} * {scale}", kWithScale),
    taking(kExp, binary("swiglu", "silu(gate) up", "dy up silu'(gate); dy silu(gate)",
                        "F.silu({gate}) * {up}", kGated)),
    taking(kErfExp, binary("geglu", "gelu(gate) up", "dy up gelu'(gate); dy gelu(gate)",
                           "F.gelu({gate}) * {up}", kGated)),
    affine(reduction("sum", "sum x", "dy", "torch.sum({x}, {dims})")),
    affine(reduction("mean", "sum x / N", "dy / N", "torch.mean({x}, {dims})")),
    kinked("ties", reduction("max", "max x", "dy to the largest, at ties any share",
                             "torch.amax({x}, {dims})")),
    kinked("ties", reduction("min", "min x", "dy to the smallest, at ties any share",
                             "torch.amin({x}, {dims})")),
    with_options(kEmptySums,
                 taking(kExpLog, reduction("logsumexp", "m + log sum exp(x - m), m = max x",
                                           "dy exp(x - y)", "torch.logsumexp({x}, {dims})"))),
    moment(kCorrection, reduction("var", "sum (x - mean)^2 / (N - correction)",
                                  "dy 2 (x - mean)/(N - correction)",
                                  "torch.var({x}, {dims}, correction={correction})")),
    moment(kEps, reduction("rstd", "1/sqrt(sum (x - mean)^2 / N + eps)", "-dy y^3 (x - mean)/N",
                           "torch.rsqrt(torch.var({x}, {dims}, correction=0) + {eps})")),
    GraphStage{.word = "softmax",
               .form = normalises,
               .operands = kOneCurved,
               .axes = StageAxes::last,
               .options = kEmptyRows,
               .ignores_shift = true,
               .functions = kExp,
               .formula = "exp(x - m) / sum exp(x - m), m = max x",
               .adjoint = "y (dy - sum dy y)",
               .libtorch = "F.softmax({x}, {dim})"},
    GraphStage{.word = "log_softmax",
               .form = normalises,
               .operands = kOneCurved,
               .axes = StageAxes::last,
               .options = kEmptyRows,
               .ignores_shift = true,
               .functions = kExpLog,
               .formula = "x - m - log sum exp(x - m), m = max x",
               .adjoint = "dy - exp(y) sum dy",
               .libtorch = "F.log_softmax({x}, {dim})"},
    norm("layer_norm", StageAxes::last, kAffineOver, kEps,
         "weight (x - mean)/sqrt(variance + eps) + beta",
         "F.layer_norm({x}, {shape}, {weight}, {beta}, {eps})"),
    norm("rms_norm", StageAxes::last, kWeightOver, kSmallEps, "weight x/sqrt(mean(x^2) + eps)",
         "F.rms_norm({x}, {shape}, {weight}, {eps})", false),
    of_float32_parameters(
        norm("batch_norm", StageAxes::rest, kAffineChannel, kEps,
             "weight (x - mean)/sqrt(variance + eps) + beta, of each channel",
             "F.batch_norm({x}, None, None, {weight}, {beta}, True, 0.0, {eps})")),
    norm("group_norm", StageAxes::group, kAffineChannel, kGroups,
         "weight (x - mean)/sqrt(variance + eps) + beta, of each group",
         "F.group_norm({x}, {groups}, {weight}, {beta}, {eps})"),
    of_float32_parameters(
        norm("instance_norm", StageAxes::spatial, kAffineChannel, kEps,
             "weight (x - mean)/sqrt(variance + eps) + beta, of each channel of a sample",
             "F.instance_norm({x}, None, None, {weight}, {beta}, True, 0.0, {eps})")),
    evaluated("batch_norm_eval",
              "F.batch_norm({x}, {mean}, {var}, {weight}, {beta}, False, 0.0, {eps})"),
    evaluated("instance_norm_eval",
              "F.instance_norm({x}, {mean}.clone(), {var}.clone(), {weight}, {beta}, False, 0.0, "
              "{eps})"),
    running("running_mean", kWithRunningMean,
            "(1 - momentum) mean + momentum (mean of x), of each channel",
            "torch.ops.aten._native_batch_norm_legit_functional({x}.detach(), None, None, {mean}, "
            "torch.ones_like({mean}), True, {momentum}, 1e-5)[3]"),
    with_options(kMomentumAndCorrection,
                 running("running_var", kWithRunningVariance,
                         "(1 - momentum) var + momentum sum (x - mean of x)^2/(N - correction), of "
                         "each channel",
                         "torch.ops.aten._native_batch_norm_legit_functional({x}.detach(), None, "
                         "None, torch.zeros_like({var}), {var}, True, {momentum}, 1e-5)[4]")),
    affine(pool("avg_pool", kWindow, "sum of the window / its size, padding counted", "dy / size",
                "F.avg_pool{n}d({x}, {window}, {stride}, {padding})")),
    kinked("ties", pool("max_pool", kDilatedWindow, "max of the window",
                        "dy to the largest, at ties any share",
                        "F.max_pool{n}d({x}, {window}, {stride}, {padding}, {dilation})")),
    GraphStage{.word = "linear",
               .form = contracts,
               .operands = kProduct,
               .axes = StageAxes::last,
               .formula = "sum x weight^T + bias",
               .adjoint = "dy weight; dy^T x; sum dy",
               .libtorch = "F.linear({x}, {weight}, {bias})"},
    GraphStage{.word = "contract",
               .form = contracts,
               .operands = kContracted,
               .axes = StageAxes::said,
               .formula = "sum x other, over axes that both have",
               .adjoint = "sum dy other; sum dy x, over axes that only the other has",
               .libtorch = "torch.einsum({equation}, {x}, {other})"},
    convolution("conv", kConvolution, false, "conv_transpose of dy; sum dy x; sum dy",
                "F.conv{n}d({x}, {weight}, {bias}, {stride}, {padding}, {dilation}, {groups})"),
    convolution("conv_transpose", kTransposed, true, "conv of dy; sum dy x; sum dy",
                "F.conv_transpose{n}d({x}, {weight}, {bias}, {stride}, {padding}, "
                "{output_padding}, {groups}, {dilation})"),
    GraphStage{.word = "nll_loss",
               .form = selects,
               .operands = kLabelled,
               .axes = StageAxes::last,
               .formula = "-mean of x[labels]",
               .adjoint = "-dy / N at the labels",
               .libtorch = "F.nll_loss({x}.flatten(0, -2), {labels}.flatten())"},
    GraphStage{
        .word = "rotary",
        .form = turns,
        .operands = kTurned,
        .axes = StageAxes::last,
        .formula = "x cos + half(x) sin, half(x) = (-x2, x1) of the last axis' halves x1, x2",
        .adjoint = "dy cos - half(dy sin); dy x; dy half(x)",
        .libtorch = "{x} * {cos} + torch.cat((-{x}.chunk(2, -1)[1], {x}.chunk(2, -1)[0]), -1) "
                    "* {sin}"},
    moving("split", {1, 1, 2}, kSplit, "x, an axis as two: index a n + b", "join of dy",
           "{x}.unflatten({dim}, {shape})"),
    moving("join", {2, kMany, 1}, {}, "x, axes as one: index a n + b", "split of dy",
           "{x}.flatten({dim}, {last})"),
    moving("slice", {1, 1, 1, false}, kSlice, "count numbers of x, each step-th from `from` on",
           "dy there, else 0", "{x}[{all}{from}:{end}:{step}]"),
    moving("select", {1, 1, 0}, kSelect, "x at one index of an axis", "dy there, else 0",
           "{x}.select({dim}, {at})"),
    moving("concat", {1, 2, 1, false}, {}, "x, then other", "the parts of dy",
           "torch.cat(({x}, {other}), {dim})", kTwo),
    moving("pad", {1, 1, 1, false}, kPad, "x between zeros, or its own numbers by mode",
           "sum of dy where x stands", "F.pad({x}, ({before}, {after}), {mode})"),
    moving("flip", {1, kMany, 0}, {}, "x backwards", "flip of dy", "torch.flip({x}, {dims})"),
    moving("roll", {1, 1, 0}, kRoll, "x moved by shift, the end to the front", "roll of dy back",
           "torch.roll({x}, {shift}, {dim})"),
    moving("rename", {1, 1, 1}, {}, "x, an axis with another name", "dy", "{x}.clone()"),
    moving("diagonal", {2, 2, 1}, {}, "x where two indices are equal", "dy there, else 0",
           "torch.diagonal({x}, 0, {dim}, {last})"),
    moving("take", {1, 1, 0}, kIgnored, "x at the labels along an axis; 0 where one is ignored",
           "put of dy: the sum of dy over equal labels", "F.embedding({labels}, {x})", kByLabels),
    moving("put", {0, 0, 1, true, true}, kPutOptions,
           "sum of x over equal labels, along a new axis", "take of dy",
           "torch.zeros(n).index_add(0, {labels}, {x})", kByLabels),
    detached(moving("count", {0, 0, 0}, kIgnored, "how many labels are not ignored",
                    "0: nothing goes back", "({labels} != {ignore}).sum()", kCounted)),
    moving("permute", {0, 0, 0}, {}, "x, in the order of axes of y[...]", "permute of dy",
           "{x}.clone()"),
};

}  // namespace

bool GraphStage::takes(std::string_view function) const {
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

std::size_t GraphStage::labels() const {
  const auto is_it = [](const StageOperand& o) { return o.part == TensorPart::labels; };
  return static_cast<std::size_t>(std::ranges::find_if(operands, is_it) - operands.begin());
}

bool GraphStage::moves_statistic() const {
  return form == StageForm::reduces && operands.back().is_running();
}

bool GraphStage::is_factor() const {
  return form == StageForm::elementwise && operands.size() == 2 && !is_curved() &&
         operands[1].multiplies && !operands[1].curved;
}

bool GraphStage::is_summand() const {
  return form == StageForm::elementwise && operands.size() == 2 && !is_curved() &&
         operands[1].identity == 0;
}

std::span<const GraphStage> graph_stages() { return kStages; }

}  // namespace gradproof
