// SPDX-License-Identifier: Apache-2.0
#include "core/claim/stage_traits.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr StageParameter kWeight{.name = "weight", .identity = 1, .multiplies = true};
constexpr StageParameter kBeta{.name = "beta", .identity = 0};

constexpr std::array kBias{StageParameter{.identity = 0}};
constexpr std::array kScale{StageParameter{.identity = 1, .multiplies = true}};
constexpr std::array kGroupNorm{kWeight, kBeta};
constexpr std::array kBatchNorm{
    kWeight, kBeta,
    StageParameter{.name = "running_mean", .identity = 0, .differentiable = false, .running = true},
    StageParameter{
        .name = "running_var", .multiplies = true, .differentiable = false, .running = true},
    StageParameter{.name = "num_batches_tracked", .differentiable = false}};

constexpr std::array kDivisor{StageScalar{"divide", 1}};
constexpr std::array kEps{StageScalar{"eps"}};
constexpr std::array kEpsAndMomentum{StageScalar{"eps"}, StageScalar{"momentum"}};

constexpr std::array<std::string_view, 3> kSummands{"0", "", "1000"};
constexpr std::array<std::string_view, 3> kFactors{"1", "-0.5", "1000"};
constexpr std::array<std::string_view, 3> kDivisors{"1", "-3", "0.3"};

constexpr std::array kStages{
    StageTraits{.kind = StageKind::bias,
                .name = "Bias",
                .parameters = kBias,
                .formula = "in + {0}",
                .adjoint = "g",
                .libtorch_16 = LibTorch16::same_type,  // else promoted to the parameters' type
                .exhaustive = kSummands},
    StageTraits{.kind = StageKind::scale,
                .name = "Scale",
                .parameters = kScale,
                .formula = "in * {0}",
                .adjoint = "g * {0}",
                .libtorch_16 = LibTorch16::same_type,
                .exhaustive = kFactors},
    StageTraits{.kind = StageKind::divide,  // div_true_kernel: in float32, by the number as float32
                .name = "Divide",
                .scalars = kDivisor,
                .formula = "in / {0}",
                .adjoint = "g / {0}",
                .exhaustive = kDivisors},
    StageTraits{.kind = StageKind::swish,
                .name = "Swish",
                .curved = Curved::always,
                .takes_exp = true,
                .formula = "in sigmoid(in)",
                .adjoint = "g s (1 + in (1 - s)), s = sigmoid(in)"},
    // mean_data of param_t: a mean of 16 bits enters the variance
    StageTraits{.kind = StageKind::batch_norm,
                .name = "BatchNorm",
                .normalises = Normalises::column,
                .curved = Curved::with_own_statistics,
                .parameters = kBatchNorm,
                .scalars = kEpsAndMomentum,
                .libtorch_16 = LibTorch16::float32_parameters},
    StageTraits{.kind = StageKind::group_norm,
                .name = "GroupNorm",
                .normalises = Normalises::group,
                .curved = Curved::always,
                .parameters = kGroupNorm,
                .scalars = kEps},
};

constexpr bool in_order() {
  for (std::size_t k = 0; k < kStages.size(); ++k)
    if (kStages[k].kind != static_cast<StageKind>(k)) return false;
  return true;
}
static_assert(in_order(), "a row for each kind, in the order of StageKind");

}  // namespace

bool StageTraits::has_running_statistics() const {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const StageParameter& parameter) { return parameter.running; });
}

bool StageTraits::is_curved(bool own_statistics) const {
  return curved == Curved::always || (curved == Curved::with_own_statistics && own_statistics);
}

std::span<const StageTraits> all_stages() { return kStages; }

const StageTraits& traits_of(StageKind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place >= kStages.size())
    throw InstrumentError("no row of stage traits for kind " + std::to_string(place));
  return kStages[place];
}

}  // namespace gradproof
