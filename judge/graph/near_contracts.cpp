// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/near_contracts.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/contract/contract_words.h"
#include "core/graph/contract/forms.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Stored = DeclaredContract::Stored;

/// True if some step of the part satisfies the condition.
template <class Holds>
bool any_step_of(const FormRow& row, const Graph& graph, const Holds& holds) {
  return std::any_of(graph.steps.begin(), graph.steps.end(), [&](const GraphStep& step) {
    return row.is_of(step.stage) && holds(row.usual_of(step.stage));
  });
}

/// True if the first form alone is less than what is usual of some step, and is usual of each.
bool has_narrower_form(const FormRow& row, const Graph& graph) {
  return any_step_of(row, graph, [](FormSet usual) { return usual.bits != 1; }) &&
         !any_step_of(row, graph, [](FormSet usual) { return !usual.has(0); });
}

bool has_any_sums(const Graph& graph) {
  const SumRow& all = sum_rows().front();
  return std::any_of(graph.steps.begin(), graph.steps.end(),
                     [&](const GraphStep& step) { return has_sums(all, graph_stage(step.stage)); });
}

/// True if the contract of all steps, or that of one, satisfies the condition.
template <class Says>
bool says(const DeclaredContract& declared, const Says& of_steps) {
  return of_steps(declared.every) ||
         std::any_of(declared.steps.begin(), declared.steps.end(),
                     [&](const auto& step) { return of_steps(step.second); });
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

DeclaredContract as_operators(const GraphContract& contract, DeclaredContract declared) {
  if (rounds_between(contract)) {
    declared.stored = Stored::all;
    declared.stored_names.clear();
  }
  declared.functions = DeclaredContract::Functions::any;
  if (!declared.subnormals && contract.accumulation == DType::f32)
    declared.subnormals = DeclaredContract::Subnormals::flushed;
  return declared;
}

std::optional<NearContract> with_rounded_statistics(const GraphClaim& claim,
                                                    const DeclaredContract& declared) {
  const auto& steps = claim.graph.steps;
  const bool has_norm = std::any_of(steps.begin(), steps.end(), [](const GraphStep& step) {
    return graph_stage(step.stage).statistics == StageStatistics::own;
  });
  const bool is_open = declared.leaves_rounding_open() || declared.stored == Stored::all;
  if (!has_norm || !is_open || !rounds_between(claim.contract)) return std::nullopt;
  NearContract wide{
      "", declared.stored == Stored::all ? declared : as_operators(claim.contract, declared)};
  wide.contract.stored = Stored::all_and_statistics;
  wide.text = fmt::format("under {}: mean and 1/std are rounded to {} before they are used",
                          to_string(wide.contract), name_of(claim.contract.storage));
  return wide;
}

std::vector<NearContract> wider_contracts(const GraphClaim& claim,
                                          const DeclaredContract& declared) {
  std::vector<NearContract> all;
  const std::vector<std::string> words = contract_words::parts_of(to_string(declared), ' ');
  for (const std::string& left_out : words) {
    std::string text;
    for (const std::string& word : words)
      if (word != left_out) text += word + " ";
    if (!left_out.empty())
      all.push_back({"without " + left_out, parse_declared_contract(text, claim.graph)});
  }
  const DeclaredContract wide = as_operators(claim.contract, declared);
  if (!declared.leaves_rounding_open()) all.push_back({"under " + to_string(wide), wide});
  for (const FormRow& row : form_rows()) {
    const FormSet every{(1U << row.forms.size()) - 1};
    if (!any_step_of(row, claim.graph, [&](FormSet usual) { return usual != every; })) continue;
    NearContract form{"", wide};
    form.contract.every.forms[row.part] = every;
    form.text = "under " + to_string(form.contract);
    all.push_back(std::move(form));
  }
  return all;
}

std::vector<std::string> narrower_words(const GraphClaim& claim, const DeclaredContract& declared) {
  std::vector<std::string> words;
  if (!declared.stored && rounds_between(claim.contract)) words.push_back("stored=none");
  if (!declared.functions) words.push_back("functions=rounded");
  const auto of_sums = [](const StepDeclaration& step) { return !step.sums.empty(); };
  if (has_any_sums(claim.graph) && !says(declared, of_sums)) words.push_back("sums=pairwise");
  for (const FormRow& row : form_rows()) {
    const auto of_part = [&](const StepDeclaration& step) { return step.forms.contains(row.part); };
    if (has_narrower_form(row, claim.graph) && !says(declared, of_part))
      words.push_back(std::string(row.word) + "=" + std::string(row.forms.front().word));
  }
  return words;
}

DeclaredContract with_words(const Graph& graph, const DeclaredContract& declared,
                            const std::vector<std::string>& words) {
  return parse_declared_contract(fmt::format("{} {}", to_string(declared), fmt::join(words, " ")),
                                 graph);
}

std::vector<NearContract> narrower_than_operators(const GraphContract& contract,
                                                  const DeclaredContract& declared) {
  const DeclaredContract wide = as_operators(contract, declared);
  std::vector<NearContract> all;
  if (wide.stored != declared.stored) {
    all.push_back({"rounds between its steps", wide});
    all.back().contract.stored = declared.stored;
    all.back().contract.stored_names = declared.stored_names;
  }
  all.push_back({"its functions are not the usual ones", wide});
  all.back().contract.functions = declared.functions;
  if (wide.subnormals != declared.subnormals) {
    all.push_back({"counts subnormal numbers as 0", wide});
    all.back().contract.subnormals = declared.subnormals;
  }
  return all;
}

}  // namespace gradproof
