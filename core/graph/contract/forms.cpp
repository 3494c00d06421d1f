// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/forms.h"

#include <algorithm>
#include <array>

namespace gradproof {
namespace {

using Text = std::string_view;

constexpr std::array<Text, 8> kOfCentredStatistics{"layer_norm",    "batch_norm",   "group_norm",
                                                   "instance_norm", "running_mean", "running_var",
                                                   "var",           "rstd"};
constexpr std::array<Text, 4> kCentredNorms{"layer_norm", "batch_norm", "group_norm",
                                            "instance_norm"};
constexpr std::array<Text, 5> kNorms{"layer_norm", "rms_norm", "batch_norm", "group_norm",
                                     "instance_norm"};
constexpr std::array<Text, 7> kAllNorms{"layer_norm",        "rms_norm",      "batch_norm",
                                        "group_norm",        "instance_norm", "batch_norm_eval",
                                        "instance_norm_eval"};
constexpr std::array<Text, 4> kWeightedByGroup{"batch_norm", "instance_norm", "batch_norm_eval",
                                               "instance_norm_eval"};
constexpr std::array<Text, 3> kOfMaximum{"softmax", "log_softmax", "logsumexp"};
constexpr std::array<Text, 1> kSoftmax{"softmax"};
constexpr std::array<Text, 1> kLogSoftmax{"log_softmax"};
constexpr std::array<Text, 3> kOfSigmoid{"sigmoid", "silu", "swiglu"};
constexpr std::array<Text, 2> kOfSoftplus{"softplus", "mish"};
constexpr std::array<Text, 6> kOfComplement{"sigmoid", "silu", "swiglu", "tanh", "softcap", "mish"};
constexpr std::array<Text, 9> kOfFactors{"sigmoid", "silu",     "swiglu", "tanh", "softcap",
                                         "mish",    "softplus", "gelu",   "geglu"};
constexpr std::array<Text, 3> kOfDivision{"divide", "mean", "avg_pool"};
constexpr std::array<Text, 3> kOfBias{"linear", "conv", "conv_transpose"};
constexpr std::array<Text, 2> kRunning{"running_mean", "running_var"};
constexpr std::array<Text, 2> kScale{"scale", "multiply"};
constexpr std::array<Text, 1> kHardswishStage{"hardswish"};
constexpr std::array<Text, 4> kProducts{"linear", "contract", "conv", "conv_transpose"};
constexpr std::array<Text, 8> kOfBackward{"layer_norm",    "rms_norm", "batch_norm", "group_norm",
                                          "instance_norm", "softcap",  "softplus",   "elu"};

constexpr std::array kVariance{Form{"two_pass", "mean first, then sum (x - mean)^2 / N"},
                               Form{"welford", "running mean and M2, lanes merged in a tree"},
                               Form{"one_pass", "mean(x^2) - mean^2, clamped at 0"}};
constexpr std::array kXhat{Form{"subtracted", "(x - mean) rstd"},
                           Form{"shifted", "x rstd - mean rstd"}};
constexpr std::array kAffine{Form{"plain", "xhat weight + beta"},
                             Form{"folded", "x alpha + (beta - mean alpha), alpha = weight rstd"}};
constexpr std::array kAdjoint{
    Form{"standardized", "rstd (g - S1/N - xhat S2/N), S1 = sum g, S2 = sum g xhat"},
    Form{"centered", "(g - S1/N - (x - mean) (C rstd^2/N)) rstd, C = sum g (x - mean)"},
    Form{"uncentered", "rstd g + c2 x + c3, c2 = (S1 mean - sum g x) rstd^3/N"}};
constexpr std::array kWeighting{
    Form{"first", "g = weight dy, before sums are taken of it"},
    Form{"factor", "g = dy; what the sums leave of it times (weight rstd)"},
    Form{"last", "g = dy; what the sums leave of it times rstd, then times weight"}};
constexpr std::array kWeightGradient{Form{"standardized", "sum dy ((x - mean) rstd)"},
                                     Form{"centered", "sum (dy (x - mean)) rstd"},
                                     Form{"uncentered", "sum (dy x - dy mean) rstd"}};
constexpr std::array kMaximum{
    Form{"subtracted", "exp(x - m), m = max x"},
    Form{"online", "a running maximum; the sum is multiplied by exp(m - m') at each change"},
    Form{"unsubtracted", "exp(x): overflows from x = 88.7 in float32", kOfMaximum},
    Form{"base2", "exp2(x L - m L), L = log2 e, log2 of the sum", kLogSoftmax}};
constexpr std::array kMaximumGradient{
    Form{"none", "nothing goes back to m, which cancels"},
    Form{"followed", "what goes back to m, 0 but for roundings, is added at the largest x"}};
constexpr std::array kQuotient{Form{"divided", "t / sum"}, Form{"reciprocal", "t (1/sum)"}};
constexpr std::array kLogarithm{Form{"apart", "(x - m) - log sum"},
                                Form{"joined", "x - (m + log sum)"}};
constexpr std::array kProjection{Form{"factored", "y (dy - sum dy y)"},
                                 Form{"expanded", "dy y - y sum dy y"}};
constexpr std::array kSigmoid{
    Form{"branched", "1/(1 + t) or t/(1 + t) by the sign of x, t = exp(-|x|)"},
    Form{"quotient", "1/(1 + exp(-x))"},
    Form{"tanh", "1/2 + tanh(x/2)/2: no digits are left far below 0", kOfSigmoid}};
constexpr std::array kSoftplus{Form{"branched", "max(x, 0) + log1p(exp(-|x|))"},
                               Form{"direct", "log1p(exp(x)), of softplus x itself from 20 on"}};
constexpr std::array kComplement{Form{"reflected", "1 - sigmoid(x) as sigmoid(-x)"},
                                 Form{"subtracted", "1 - s, 1 - t^2"}};
constexpr std::array kCotangent{Form{"last", "dy (f')"},
                                Form{"first", "dy times one factor of f', then the other"}};
constexpr std::array kDivision{Form{"divided", "x / n"}, Form{"reciprocal", "x (1/n)"}};
constexpr std::array kBias{Form{"summed", "one more summand of the product"},
                           Form{"added", "added to the product"}};
constexpr std::array kUpdate{Form{"weighted", "(1 - m) old + m new"},
                             Form{"lerp", "old + m (new - old)"}};
constexpr std::array kScaleGradient{
    Form{"products", "sum dy x"},
    Form{"closed", "before a norm: rstd^3 eps sum (g - mean g)(x - mean x)", kScale}};

constexpr std::array kHardswish{
    Form{"joined", "x/3 + 1/2"},
    Form{"summed", "clamp(x + 3, 0, 6)/6 + x/6, each times dy, as autodiff gives it"}};
constexpr std::array kBackward{
    Form{"input", "the adjoint starts from x"},
    Form{"output", "from y: xhat = (y - beta)/weight, 1 - (y/cap)^2, 1 - exp(-y), y + alpha",
         kOfBackward}};

/// The factors of a product as the hardware multiplies them, forward and backward.
constexpr std::array kInputs{
    Form{"exact", "as they are stored"},
    Form{"tf32", "rounded to 11 significant bits, or cut off there", kProducts},
    Form{"bf16x3", "as sums of two bfloat16 numbers, of whose four products three are taken",
         kProducts},
    Form{"bf16", "rounded to bfloat16, or cut off there", kProducts}};

/// The sums of products. Hopper's tensor cores add products of 8-bit numbers so (DeepSeek-AI,
/// "DeepSeek-V3 Technical Report", arXiv:2412.19437, section 3.5.2).
constexpr std::array kAccumulate{
    Form{"wide", "each addition is rounded in the type of all arithmetic"},
    Form{"promoted_fp22",
         "as fp22, and each sum of 128 products is added in the type of all arithmetic", kProducts},
    Form{"fp22", "32 products and the sum so far, each cut off 13 bits behind the largest one",
         kProducts}};

using enum FormPart;
constexpr std::array<FormRow, kFormParts> kRows{
    FormRow{variance, "variance", kOfCentredStatistics, kVariance},
    FormRow{xhat, "xhat", kCentredNorms, kXhat},
    FormRow{affine, "affine", kAllNorms, kAffine},
    FormRow{adjoint, "adjoint", kNorms, kAdjoint},
    FormRow{weighting, "weighting", kWeightedByGroup, kWeighting},
    FormRow{weight_gradient, "weight_gradient", kAllNorms, kWeightGradient},
    FormRow{maximum, "maximum", kOfMaximum, kMaximum},
    FormRow{maximum_gradient, "maximum_gradient", kOfMaximum, kMaximumGradient},
    FormRow{quotient, "quotient", kSoftmax, kQuotient},
    FormRow{logarithm, "logarithm", kLogSoftmax, kLogarithm},
    FormRow{projection, "projection", kSoftmax, kProjection},
    FormRow{sigmoid, "sigmoid", kOfSigmoid, kSigmoid},
    FormRow{softplus, "softplus", kOfSoftplus, kSoftplus},
    FormRow{complement, "complement", kOfComplement, kComplement},
    FormRow{cotangent, "cotangent", kOfFactors, kCotangent},
    FormRow{division, "division", kOfDivision, kDivision},
    FormRow{bias, "bias", kOfBias, kBias},
    FormRow{update, "update", kRunning, kUpdate},
    FormRow{scale_gradient, "scale_gradient", kScale, kScaleGradient},
    FormRow{hardswish, "hardswish", kHardswishStage, kHardswish},
    FormRow{backward, "backward", kOfBackward, kBackward},
    FormRow{inputs, "inputs", kProducts, kInputs},
    FormRow{accumulate, "accumulate", kProducts, kAccumulate}};

bool has(std::span<const Text> stages, Text stage) {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

}  // namespace

bool Form::is_usual_of(std::string_view stage) const { return !has(if_declared, stage); }

bool FormRow::is_of(std::string_view stage) const { return has(stages, stage); }

FormSet FormRow::usual_of(std::string_view stage) const {
  FormSet set;
  for (std::size_t k = 0; k < forms.size(); ++k)
    if (forms[k].is_usual_of(stage)) set.bits |= 1U << k;
  return set;
}

std::span<const FormRow> form_rows() { return kRows; }

const FormRow& form_row(FormPart part) { return kRows[static_cast<std::size_t>(part)]; }

}  // namespace gradproof
