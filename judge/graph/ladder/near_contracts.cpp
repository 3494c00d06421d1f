// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/ladder/near_contracts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/contract/contract_words.h"
#include "core/graph/contract/forms.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

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

/// "without sums=pairwise"
std::vector<NearContract> without_a_word(const Graph& graph, const DeclaredContract& declared) {
  std::vector<NearContract> all;
  const std::vector<std::string> words = contract_words::parts_of(to_string(declared), ' ');
  for (const std::string& left_out : words) {
    std::string text;
    for (const std::string& word : words)
      if (word != left_out) text += word + " ";
    if (!left_out.empty())
      all.push_back({"without " + left_out, parse_declared_contract(text, graph)});
  }
  return all;
}

std::vector<NearContract> in_every_form(const Graph& graph, const DeclaredContract& wide) {
  std::vector<NearContract> all;
  for (const FormRow& row : form_rows()) {
    const FormSet every{(1U << row.forms.size()) - 1};
    if (!any_step_of(row, graph, [&](FormSet usual) { return usual != every; })) continue;
    NearContract form{"", wide};
    form.contract.every.forms[row.part] = every;
    form.text = "under " + to_string(form.contract);
    all.push_back(std::move(form));
  }
  return all;
}

std::vector<NearContract> as_tensor_cores_add(const DeclaredContract& wide) {
  std::vector<NearContract> all;
  for (const ProductSums form : {ProductSums::promoted_fp22, ProductSums::fp22}) {
    NearContract near{"", wide};
    near.contract.every.forms[FormPart::accumulate] = FormSet{1U << static_cast<int>(form)};
    near.text = "under " + to_string(near.contract);
    all.push_back(std::move(near));
  }
  return all;
}

/// True if no number of the tensor has more than four significant bits.
bool is_of_8_bits(const Tensor& t) {
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    int exponent = 0;
    const double digits = 16 * std::frexp(t.at(i), &exponent);
    if (std::isfinite(digits) && digits != std::trunc(digits)) return false;
  }
  return true;
}

}  // namespace

bool multiplies_8_bits(const Graph& graph, const Tensors& inputs) {
  const auto is_one = [&](const GraphOperand& operand) {
    const auto found = inputs.find(operand.name);
    return found != inputs.end() && is_of_8_bits(found->second);
  };
  return std::ranges::any_of(graph.steps, [&](const GraphStep& step) {
    return graph_stage(step.stage).form == StageForm::contracts && is_one(step.operands[0]) &&
           is_one(step.operands[1]);
  });
}

std::string contract_text(const RungContract& rung, DType storage) {
  const std::string text = "under " + to_string(rung.contract);
  if (rung.rung != Rung::statistics_too) return text;
  return fmt::format("{}: mean and 1/std are rounded to {} before they are used", text,
                     name_of(storage));
}

std::vector<NearContract> wider_contracts(const GraphClaim& claim, const DeclaredContract& declared,
                                          bool is_near, bool of_8_bits) {
  std::vector<NearContract> all;
  if (is_near) all = without_a_word(claim.graph, declared);
  const std::vector<RungContract> rungs = wider_rungs(claim, declared);
  // Code that leaves its roundings open was judged on each rung.
  if (!declared.leaves_rounding_open())
    for (const RungContract& rung : rungs)
      all.push_back({contract_text(rung, claim.contract.storage), rung.contract});
  DeclaredContract wide = declared;
  for (const RungContract& rung : rungs)
    if (rung_row(rung.rung).is_right) wide = rung.contract;
  if (of_8_bits) {
    const std::vector<NearContract> added = as_tensor_cores_add(wide);
    all.insert(all.end(), added.begin(), added.end());
  }
  if (!is_near) return all;
  const std::vector<NearContract> formed = in_every_form(claim.graph, wide);
  all.insert(all.end(), formed.begin(), formed.end());
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

std::vector<NearContract> narrower_than(const RungContract& rung, const RungContract& below) {
  const DeclaredContract& wide = rung.contract;
  const DeclaredContract& narrow = below.contract;
  std::vector<NearContract> all;
  if (wide.stored != narrow.stored) {
    all.push_back({std::string(rung_row(rung.rung).rounding), wide});
    all.back().contract.stored = narrow.stored;
    all.back().contract.stored_names = narrow.stored_names;
  }
  if (wide.functions != narrow.functions) {
    all.push_back({"its functions are not the usual ones", wide});
    all.back().contract.functions = narrow.functions;
  }
  if (wide.subnormals != narrow.subnormals) {
    all.push_back({"counts subnormal numbers as 0", wide});
    all.back().contract.subnormals = narrow.subnormals;
  }
  return all;
}

}  // namespace gradproof
