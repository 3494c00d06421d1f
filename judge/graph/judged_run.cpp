// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/judged_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/graph/contract/contract_words.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {
namespace {

/// A conviction beyond so many bounds is no matter of a contract, so none is looked for.
constexpr double kNearBound = 2;

/// What is declared, and a sentence of it.
struct Alternative {
  std::string text;
  DeclaredContract contract;
};

/// The tensors of one run under contracts that it may have.
class JudgedUnder {
 public:
  JudgedUnder(const Case& c, const GraphRun& run)
      : run_(run), types_(types_of(run.claim.graph, c)), declared_(declared_of(c)) {}

  JudgedRun all() const {
    JudgedRun found;
    for (auto& [name, judged] : judge_graph(run_.claim, run_.inputs, run_.got))
      found.emplace(name, JudgedTensor{std::move(judged), run_.claim.contract});
    if (!declared_) return found;
    for (auto& [name, tensor] : found) {
      if (tensor.judged.discrepancy.bad == 0) continue;
      if (declared_->leaves_rounding_open()) tensor = as_operators(name, tensor.judged);
      add_near_contract(name, tensor.judged);
    }
    return found;
  }

 private:
  JudgedTensor under(const std::string& tensor, const DeclaredContract& declared) const {
    GraphClaim claim = run_.claim;
    claim.contract = graph_contract(claim.graph, types_, declared);
    Judged judged =
        std::move(judge_graph(claim, run_.inputs, JudgedTensors{{tensor, &get(run_.got, tensor)}})
                      .at(tensor));
    return {std::move(judged), std::move(claim.contract)};
  }

  /// Whether a value between two steps may be rounded at all.
  bool rounds_between() const {
    const GraphContract& c = run_.claim.contract;
    const auto is_coarse = [&](DType type) {
      return unit_roundoff(type) > unit_roundoff(c.accumulation);
    };
    return is_coarse(c.storage) ||
           std::any_of(c.results.begin(), c.results.end(),
                       [&](const auto& result) { return is_coarse(result.second); });
  }

  DeclaredContract widened(DeclaredContract contract) const {
    if (rounds_between()) {
      contract.stored = DeclaredContract::Stored::all;
      contract.stored_names.clear();
    }
    contract.functions = DeclaredContract::Functions::any;
    if (!contract.subnormals && run_.claim.contract.accumulation == DType::f32)
      contract.subnormals = DeclaredContract::Subnormals::flushed;
    return contract;
  }

  JudgedTensor as_operators(const std::string& name, const Judged& fused) const {
    JudgedTensor found = under(name, widened(*declared_));
    if (found.judged.discrepancy.bad > 0) return found;
    const double most = fused.discrepancy.max_ratio;
    found.judged.why += fmt::format(
        "; it declares nothing, {} {}",
        rounds_between() ? "and rounds between its steps: under stored=outputs functions=usual"
                         : "and its functions are not the usual ones: under functions=usual",
        std::isfinite(most) ? fmt::format("{:.3g} bounds off", most)
                            : fmt::format("{} wrong in class", fused.discrepancy.wrong_class));
    found.doubt = doubt_of(found.judged, fused);
    return found;
  }

  /// What makes the bound wide of which the fused code's would have been narrow.
  std::string doubt_of(const Judged& wide, const Judged& fused) const {
    Discrepancy narrow = fused.discrepancy;
    narrow.bad = 0;
    if (!rounds_between() || judge(wide).outcome != Outcome::mistrusted ||
        judge(narrow).outcome != Outcome::passed)
      return "";
    return fmt::format(
        "; it declares nothing, so each value and each step of a sum may be rounded to {}: sums of "
        "fewer terms, or its contract, narrow the bound",
        name_of(run_.claim.contract.storage));
  }

  /// The contract without one of its words, with all roundings, and with forms that are not usual.
  std::vector<Alternative> alternatives() const {
    const Graph& graph = run_.claim.graph;
    std::vector<Alternative> all;
    const std::vector<std::string> words = contract_words::parts_of(to_string(*declared_), ' ');
    for (const std::string& left_out : words) {
      std::string text;
      for (const std::string& word : words)
        if (word != left_out) text += word + " ";
      if (!left_out.empty())
        all.push_back({"without " + left_out, parse_declared_contract(text, graph)});
    }
    const DeclaredContract wide = widened(*declared_);
    if (!declared_->leaves_rounding_open()) all.push_back({"under " + to_string(wide), wide});
    for (const FormRow& row : form_rows()) {
      const FormSet every{(1U << row.forms.size()) - 1};
      if (!is_beyond_usual(row, every)) continue;
      Alternative form{"", wide};
      form.contract.every.forms[row.part] = every;
      form.text = "under " + to_string(form.contract);
      all.push_back(std::move(form));
    }
    return all;
  }

  bool is_beyond_usual(const FormRow& row, FormSet forms) const {
    const std::vector<GraphStep>& steps = run_.claim.graph.steps;
    return std::any_of(steps.begin(), steps.end(), [&](const GraphStep& step) {
      return row.is_of(step.stage) && row.usual_of(step.stage) != forms;
    });
  }

  void add_near_contract(const std::string& name, Judged& judged) const {
    if (judged.discrepancy.bad == 0 || !(judged.discrepancy.max_ratio <= kNearBound)) return;
    for (const Alternative& other : alternatives())
      if (under(name, other.contract).judged.discrepancy.bad == 0) {
        judged.why += "; it would pass " + other.text;
        return;
      }
  }

  const GraphRun& run_;
  GraphTypes types_;
  std::optional<DeclaredContract> declared_;
};

}  // namespace

JudgedRun judged_run(const Case& c, const GraphRun& run) { return JudgedUnder(c, run).all(); }

}  // namespace gradproof
