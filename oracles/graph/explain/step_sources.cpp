// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/step_sources.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gradproof {
namespace {

/// A function, its error, and the least error that stays when the function is exact.
struct FunctionRow {
  std::string_view name;
  double FunctionErrors::*error;
  double least = 0;
};

constexpr std::array kFunctions{FunctionRow{"exp", &FunctionErrors::exp},
                                FunctionRow{"log", &FunctionErrors::log},
                                FunctionRow{"log1p", &FunctionErrors::log1p},
                                FunctionRow{"tanh", &FunctionErrors::tanh},
                                FunctionRow{"erf", &FunctionErrors::erf},
                                FunctionRow{"sin", &FunctionErrors::sine},
                                FunctionRow{"pow", &FunctionErrors::power},
                                FunctionRow{"1/sqrt", &FunctionErrors::rsqrt},
                                FunctionRow{"sqrt", &FunctionErrors::sqrt, 1},
                                FunctionRow{"division", &FunctionErrors::division, 1}};

/// True if the stage has statistics of the numbers that it takes.
bool has_statistics(const GraphStage& stage) {
  return stage.statistics == StageStatistics::own || stage.word == "var" || stage.word == "rstd";
}

bool takes(const GraphStage& stage, std::string_view function) {
  if (function == "1/sqrt") return has_statistics(stage);
  if (stage.word == "rsqrt" && function == "sqrt") return true;
  const bool root = stage.word == "sqrt" || stage.statistics == StageStatistics::given;
  return function == "division" || (function == "sqrt" && root) || stage.takes(function);
}

/// True if the adjoint of the stage's first operand has sums.
bool sums_back(const GraphStage& stage) {
  return stage.form == StageForm::contracts || stage.statistics == StageStatistics::own ||
         (stage.form == StageForm::normalises && stage.axes == StageAxes::last);
}

}  // namespace

std::size_t shared_operand(const GraphClaim& claim, const GraphStep& step,
                           const std::string& target) {
  const auto& steps = claim.graph.steps;
  const std::string& space = graph_stage(step.stage).form == StageForm::elementwise
                                 ? step.value
                                 : step.operands.front().name;
  std::size_t made = step.operands.size();
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    const std::string& name = step.operands[k].name;
    if (name.empty() || claim.graph.axes_of(name) == claim.graph.axes_of(space)) continue;
    if (gradient_name(name) == target) return k;
    const bool is_made = std::any_of(steps.begin(), steps.end(),
                                     [&](const GraphStep& other) { return other.value == name; });
    if (is_made && made == step.operands.size()) made = k;
  }
  return made;
}

std::vector<StepSource> sources_of(const GraphClaim& claim, const StepPlace& place,
                                   const std::string& target, bool given) {
  const GraphStep& step = claim.graph.steps[place.step];
  const GraphStage& stage = graph_stage(step.stage);
  const bool exact =
      given && std::any_of(claim.statistics.begin(), claim.statistics.end(),
                           [&](const NormStatistic& s) { return s.norm == step.value; });
  std::vector<StepSource> all;
  const bool adds_up = has_sums(sum_rows().front(), stage) && stage.form != StageForm::elementwise;
  const bool again = has_statistics(stage);  // the adjoint is computed from them too
  if (adds_up && !exact && (again || !place.adjoint)) all.push_back({SumRole::value});
  if (place.adjoint && sums_back(stage)) all.push_back({SumRole::gradients});
  if (place.adjoint && shared_operand(claim, step, target) < step.operands.size())
    all.push_back({SumRole::parameters});
  for (const FunctionRow& row : kFunctions) {
    const bool used = takes(stage, row.name) && !(exact && row.name == "1/sqrt");
    if (used && claim.contract.functions.*row.error > row.least)
      all.push_back({SumRole::value, row.error, row.name});
  }
  return all;
}

GraphContract without(GraphContract contract, const std::string& value, const StepSource& source) {
  if (source.function == nullptr) {
    StepContract step = contract.step(value);
    step.order(source.role) = {SumOrder::Kind::chain, 0};
    contract.steps[value] = step;
    return contract;
  }
  for (const FunctionRow& row : kFunctions)
    if (row.error == source.function) contract.functions.*row.error = row.least;
  if (source.function == &FunctionErrors::exp) {
    contract.functions.exp_argument = 0;
    contract.functions.exp_underflows = false;
  }
  if (source.function == &FunctionErrors::erf) contract.functions.erf_absolute = 0;
  return contract;
}

}  // namespace gradproof
