// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/ladder/rung_contracts.h"

#include <algorithm>
#include <utility>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Stored = DeclaredContract::Stored;

/// The rank of a word by how much it permits; no word has the rank of `outputs`.
int rank_of(std::optional<Stored> stored) {
  switch (stored.value_or(Stored::outputs)) {
    case Stored::none:
      return 0;
    case Stored::outputs:
      return 1;
    case Stored::named:
      return 2;
    case Stored::saved:
      return 3;
    case Stored::all:
      return 4;
    case Stored::all_and_statistics:
      return 5;
  }
  return 0;
}

bool has_norm(const Graph& graph) {
  return std::any_of(graph.steps.begin(), graph.steps.end(), [](const GraphStep& step) {
    return graph_stage(step.stage).statistics == StageStatistics::own;
  });
}

/// True if forward makes a value that is no output: outputs are read rounded on the first
/// rung.
bool has_saved_value(const Graph& graph) {
  return std::any_of(graph.steps.begin(), graph.steps.end(),
                     [&](const GraphStep& step) { return !has_name(graph.outputs, step.value); });
}

bool is_of(Rung rung, const GraphClaim& claim) {
  switch (rung) {
    case Rung::fused:
    case Rung::operator_at_a_time:
      return true;
    case Rung::fused_as_saved:
      return rounds_between(claim.contract) && has_saved_value(claim.graph);
    case Rung::statistics_too:
      return rounds_between(claim.contract) && has_norm(claim.graph);
  }
  return false;
}

void store(DeclaredContract& contract, Stored stored, std::vector<std::string> names = {}) {
  contract.stored = stored;
  contract.stored_names = std::move(names);
}

std::vector<std::string> values_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphStep& step : graph.steps) names.push_back(step.value);
  return names;
}

/// The contract of an operator at a time, which has the functions of any library.
DeclaredContract as_operators(const GraphContract& contract, DeclaredContract declared) {
  if (rounds_between(contract)) store(declared, Stored::all);
  declared.functions = DeclaredContract::Functions::any;
  if (!declared.subnormals && contract.accumulation == DType::f32)
    declared.subnormals = DeclaredContract::Subnormals::flushed;
  return declared;
}

DeclaredContract on_rung(Rung rung, const GraphClaim& claim, const DeclaredContract& declared) {
  DeclaredContract contract = declared;
  switch (rung) {
    case Rung::fused:
      if (declared.stored) store(contract, Stored::outputs, claim.graph.outputs);
      break;
    case Rung::fused_as_saved:
      store(contract, Stored::saved, values_of(claim.graph));
      break;
    case Rung::operator_at_a_time:
      return as_operators(claim.contract, declared);
    case Rung::statistics_too:
      contract = as_operators(claim.contract, declared);
      store(contract, Stored::all_and_statistics);
      break;
  }
  return contract;
}

}  // namespace

bool rounds_between(const GraphContract& contract) {
  const auto is_coarse = [&](DType type) {
    return unit_roundoff(type) > unit_roundoff(contract.accumulation);
  };
  return is_coarse(contract.storage) ||
         std::any_of(contract.results.begin(), contract.results.end(),
                     [&](const auto& result) { return is_coarse(result.second); });
}

std::vector<RungContract> ladder_of(const GraphClaim& claim, const DeclaredContract& declared) {
  std::vector<RungContract> ladder;
  for (const RungRow& row : rung_rows())
    if (is_of(row.rung, claim)) ladder.push_back({row.rung, on_rung(row.rung, claim, declared)});
  return ladder;
}

std::vector<RungContract> wider_rungs(const GraphClaim& claim, const DeclaredContract& declared) {
  std::vector<RungContract> wider;
  for (RungContract& on : ladder_of(claim, declared))
    if (on.contract != declared && rank_of(on.contract.stored) >= rank_of(declared.stored))
      wider.push_back(std::move(on));
  return wider;
}

}  // namespace gradproof
