// SPDX-License-Identifier: Apache-2.0
#include "core/graph/contract/step_contract.h"

#include <algorithm>
#include <array>

namespace gradproof {
namespace {

constexpr std::array kAll{SumRole::value, SumRole::gradients, SumRole::parameters};
constexpr std::array kValue{SumRole::value};
constexpr std::array kGradients{SumRole::gradients};
constexpr std::array kParameters{SumRole::parameters};
constexpr std::array kSums{SumRow{"sums", kAll}, SumRow{"statistics", kValue},
                           SumRow{"products", kValue}, SumRow{"gradients", kGradients},
                           SumRow{"parameters", kParameters}};

constexpr std::array<std::string_view, 3> kChoosing{"max", "min", "max_pool"};

/// True if the stage normalises by statistics of its own numbers, or updates others by them.
bool takes_statistics(const GraphStage& stage) {
  const bool running = stage.form == StageForm::reduces && stage.axes == StageAxes::rest;
  return running || (stage.form == StageForm::normalises && stage.axes != StageAxes::none);
}

}  // namespace

std::span<const SumRow> sum_rows() { return kSums; }

bool has_sums(const SumRow& row, const GraphStage& stage) {
  if (stage.moves()) return stage.move.adds && row.word == "sums";
  const bool product = stage.form == StageForm::contracts;
  const bool shared = stage.operands.size() > 1 && stage.form != StageForm::selects &&
                      stage.form != StageForm::reduces;
  if (row.word == "statistics") return takes_statistics(stage);
  if (row.word == "products") return product;
  if (row.word == "gradients")
    return product || (takes_statistics(stage) && stage.form == StageForm::normalises);
  if (row.word == "parameters") return shared;
  const bool chooses = std::find(kChoosing.begin(), kChoosing.end(), stage.word) != kChoosing.end();
  return shared || (stage.form != StageForm::elementwise && !chooses);
}

StepContract::StepContract() { std::fill(std::begin(forms), std::end(forms), kUsualForms); }

const StepContract& default_step_contract() {
  static const StepContract contract;
  return contract;
}

}  // namespace gradproof
