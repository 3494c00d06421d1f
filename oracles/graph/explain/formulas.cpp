// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/formulas.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradproof {
namespace {

/// The longest formula that is shown: a longer one makes a wide page.
constexpr std::size_t kLongest = 48;

/// The name of a value's cotangent; of the given one for an output that no step takes.
std::string cotangent_of(const Graph& graph, const std::string& value) {
  const bool taken = std::any_of(graph.steps.begin(), graph.steps.end(),
                                 [&](const GraphStep& s) { return s.takes(value); });
  return taken ? "d_" + value : cotangent_name(value);
}

/// The text that a word of a row's formula stands for in this step.
std::string word_in(const Graph& graph, const GraphStep& step, const std::string& word) {
  const GraphStage& row = graph_stage(step.stage);
  if (word == "dy") return cotangent_of(graph, step.value);
  if (word == "y") return step.value;
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    if (row.operands[k].word != word) continue;
    const GraphOperand& operand = step.operands[k];
    return operand.is_number() ? fmt::format("{:.9g}", operand.number) : operand.name;
  }
  for (const StageOption& option : row.options)
    if (option.key == word && option.words.empty()) return fmt::format("{:.9g}", step.number(word));
  return word;
}

/// A row's formula with the step's own names and numbers.
std::string words_of(std::string_view formula, const Graph& graph, const GraphStep& step) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string text;
  while (!formula.empty()) {
    const auto end = std::find_if_not(formula.begin(), formula.end(), in_word);
    const auto length = static_cast<std::size_t>(end - formula.begin());
    text += length == 0 ? std::string(1, formula.front())
                        : word_in(graph, step, std::string(formula.substr(0, length)));
    formula.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

/// The norm's operand of that word in a format; empty if there is none.
std::string optional_part(const GraphStep& step, std::string_view word, const char* format) {
  const GraphStage& row = graph_stage(step.stage);
  for (std::size_t k = 0; k < step.operands.size(); ++k)
    if (row.operands[k].word == word)
      return fmt::format(fmt::runtime(format), step.operands[k].name);
  return "";
}

std::string formula_of_norm(const GraphClaim& claim, const GraphStep& step) {
  const std::string& x = step.operands.front().name;
  const FormSet folded{2};
  if (claim.contract.forms(step, FormPart::affine) == folded)
    return fmt::format("{} a + ({}- mean a), a = {}rstd", x, optional_part(step, "beta", "{} "),
                       optional_part(step, "weight", "{} "));
  return fmt::format("{} rstd{}{}", step.stage == "rms_norm" ? x : fmt::format("({} - mean)", x),
                     optional_part(step, "weight", " {}"), optional_part(step, "beta", " + {}"));
}

/// The formula of the term that a norm gives the operand in that place.
std::string adjoint_of_norm(const Graph& graph, const GraphStep& step, std::size_t place) {
  const GraphStage& row = graph_stage(step.stage);
  const std::string dy = cotangent_of(graph, step.value);
  if (row.operands[place].word == "weight") return fmt::format("sum {} xhat", dy);
  if (row.operands[place].word == "beta") return "sum " + dy;
  const std::string weight = optional_part(step, "weight", "{} ");
  if (row.statistics == StageStatistics::given) return fmt::format("{}rstd {}", weight, dy);
  const char* const mean = step.stage == "rms_norm" ? "" : " - S1/N";
  const bool outside = row.axes == StageAxes::rest || row.axes == StageAxes::spatial;
  if (outside || weight.empty()) return fmt::format("{}rstd ({}{} - xhat S2/N)", weight, dy, mean);
  return fmt::format("rstd (g{} - xhat S2/N), g = {}{}", mean, weight, dy);
}

/// The formula of the term that the step gives the operand in that place.
std::string adjoint_of(const Graph& graph, const GraphStep& step, std::size_t place) {
  const GraphStage& row = graph_stage(step.stage);
  if (row.is_norm()) return adjoint_of_norm(graph, step, place);
  std::string_view adjoint = row.adjoint;
  for (std::size_t k = 0; k < place && adjoint.find("; ") != std::string_view::npos; ++k)
    adjoint.remove_prefix(adjoint.find("; ") + 2);
  return words_of(adjoint.substr(0, adjoint.find(';')), graph, step);
}

}  // namespace

std::string formula_of(const GraphClaim& claim, const GraphStep& step) {
  const GraphStage& row = graph_stage(step.stage);
  const std::string text =
      row.is_norm() ? formula_of_norm(claim, step) : words_of(row.formula, claim.graph, step);
  if (text.size() <= kLongest) return text;
  const auto place = static_cast<std::size_t>(&step - claim.graph.steps.data());
  return step_texts(claim.graph)[place];
}

std::string formula_of_cotangent(const GraphClaim& claim, const std::string& name) {
  const Graph& graph = claim.graph;
  std::vector<std::string> uses;
  std::string adjoint;
  for (const GraphStep& s : graph.steps)
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
      if (s.operands[k].name != name || graph_stage(s.stage).detached) continue;
      adjoint = adjoint_of(graph, s, k);
      uses.push_back(s.value);
    }
  const bool given = has_name(graph.outputs, name);
  if (uses.empty()) return given ? "input" : "";
  if (!given && uses.size() == 1 && adjoint.size() <= kLongest) return adjoint;
  return fmt::format("{}adjoint of {}", given ? "input and " : "", fmt::join(uses, ", "));
}

}  // namespace gradproof
