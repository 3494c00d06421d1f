// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the formula of one step, written in the language of lines.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/graph/diagnosis/edited_graph.h"
#include "oracles/graph/diagnosis/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// A norm that people write by mistake: statements that make $n, before weight and beta. {x} is its
/// first operand, {A} its axes, {eps} its eps.
struct NormFormula {
  std::string_view text;
  std::string_view statements;
  bool of_gradients = false;  ///< its value is right
};

/// The formulas in place of a norm that subtracts the mean.
constexpr std::array kCentred{
    NormFormula{"eps is added to the deviation, outside of the root",
                "$c = subtract({x}, mean({x}, {A})); $s = sqrt(mean(square($c), {A})); "
                "$n = divide($c, add($s, {eps}))"},
    NormFormula{"the variance is over N - 1 numbers, not over N",
                "$c = subtract({x}, mean({x}, {A})); $v = var({x}, {A}, correction=1); "
                "$n = divide($c, sqrt(add($v, {eps})))"},
    NormFormula{"the mean is not taken off",
                "$n = divide({x}, sqrt(add(mean(square({x}), {A}), {eps})))"},
    NormFormula{"the mean is taken off in the variance alone",
                "$v = var({x}, {A}, correction=0); $n = divide({x}, sqrt(add($v, {eps})))"},
    NormFormula{"it is divided by the variance, not by its root",
                "$c = subtract({x}, mean({x}, {A})); "
                "$n = divide($c, add(mean(square($c), {A}), {eps}))"},
    NormFormula{"it is not divided by the deviation", "$n = subtract({x}, mean({x}, {A}))"},
    NormFormula{"the adjoint lacks the term of the mean, mean(g)",
                "$c = subtract({x}, detach(mean({x}, {A}))); "
                "$n = divide($c, sqrt(add(mean(square($c), {A}), {eps})))",
                true},
    NormFormula{"the adjoint lacks the term of the deviation, xhat mean(g xhat)",
                "$c = subtract({x}, mean({x}, {A})); "
                "$n = divide($c, detach(sqrt(add(mean(square($c), {A}), {eps}))))",
                true},
    NormFormula{"the adjoint takes mean and deviation for constants",
                "$c = subtract({x}, detach(mean({x}, {A}))); "
                "$n = divide($c, detach(sqrt(add(mean(square($c), {A}), {eps}))))",
                true},
};
/// The formulas in place of a norm that does not subtract the mean.
constexpr std::array kUncentred{
    NormFormula{"eps is added to the root, outside of it",
                "$n = divide({x}, add(sqrt(mean(square({x}), {A})), {eps}))"},
    NormFormula{"the mean is taken off, as in layer_norm",
                "$c = subtract({x}, mean({x}, {A})); "
                "$n = divide($c, sqrt(add(mean(square($c), {A}), {eps})))"},
    NormFormula{"the squares are summed, not averaged",
                "$n = divide({x}, sqrt(add(sum(square({x}), {A}), {eps})))"},
    NormFormula{"it is divided by the mean square, not by its root",
                "$n = divide({x}, add(mean(square({x}), {A}), {eps}))"},
    NormFormula{"it is not divided by the root mean square", "$n = add({x}, 0)"},
    NormFormula{"the adjoint lacks the term of the root, xhat mean(g xhat)",
                "$n = divide({x}, detach(sqrt(add(mean(square({x}), {A}), {eps}))))", true},
};

/// Statements in place of a step of that stage, whose value is right: {f} is its call, {y} its
/// value, {x} and {z} its operands.
struct AdjointFormula {
  std::string_view stage;
  std::string_view text;
  std::string_view statements;
};
constexpr std::array kAdjoints{
    AdjointFormula{"silu", "the derivative lacks its term x s (1 - s), s = sigmoid(x)",
                   "{y} = multiply({x}, detach(sigmoid({x})))"},
    AdjointFormula{"silu", "the derivative lacks its term s = sigmoid(x)",
                   "{y} = multiply(detach({x}), sigmoid({x}))"},
    AdjointFormula{"gelu", "the derivative lacks its term x phi(x)",
                   "$p = multiply(0.5, add(1, erf(multiply({x}, 0.7071067811865476)))); "
                   "{y} = multiply({x}, detach($p))"},
    AdjointFormula{"sigmoid", "the derivative is s, not s (1 - s)",
                   "{y} = multiply(detach({f}), {x})"},
    AdjointFormula{"tanh", "the derivative is 1 - y, not 1 - y^2",
                   "{y} = multiply({x}, detach(subtract(1, {f})))"},
    AdjointFormula{"softmax", "the adjoint lacks the sum of y dy",
                   "$e = exp(subtract({x}, detach(max({x}, {A})))); "
                   "{y} = divide($e, detach(sum($e, {A})))"},
    AdjointFormula{"log_softmax", "the adjoint lacks the sum of dy",
                   "{y} = subtract({x}, detach(logsumexp({x}, {A})))"},
    AdjointFormula{"swiglu", "the derivative of silu lacks its term x s (1 - s), s = sigmoid(x)",
                   "{y} = multiply(multiply({x}, detach(sigmoid({x}))), {z})"},
    AdjointFormula{"swiglu", "the derivative of silu is left out",
                   "$d = detach(subtract(silu({x}), {x})); {y} = multiply(add({x}, $d), {z})"},
};

using Words = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string text, const Words& words) {
  for (const auto& [key, word] : words)
    for (std::size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + word.size()))
      text.replace(at, key.size(), word);
  return text;
}

std::string word_of(const GraphOperand& operand) {
  return operand.is_number() ? fmt::format("{}", operand.number) : operand.name;
}

std::string call_of(const Graph& graph, std::size_t step) {
  Graph plain = graph;
  for (GraphTensor& tensor : plain.tensors) tensor.declared = false;
  return step_texts(plain)[step];
}

Words words_of(const Graph& graph, std::size_t step) {
  const GraphStep& s = graph.steps[step];
  Words words{{"{f}", call_of(graph, step)},
              {"{y}", s.value},
              {"{x}", word_of(s.operands.front())},
              {"{A}", fmt::format("{}", fmt::join(s.axes, ", "))}};
  if (s.operands.size() > 1) words.emplace_back("{z}", word_of(s.operands[1]));
  return words;
}

void add_statements(const Graph& graph, std::size_t step, const std::string& text,
                    const std::string& statements, GraphRank rank, GraphHypotheses& all) {
  if (auto edited = with_statements(graph, step, statements))
    all.push_back(changed_graph(fmt::format("{}: {}", stage_text(graph, step), text),
                                std::move(*edited), rank));
}

/// Weight and beta behind $n; the last statement makes the step's value.
std::string affine(const GraphStep& s) {
  std::string text, value = "$n";
  for (std::size_t k = 1; k < s.operands.size(); ++k) {
    const std::string next = k + 1 == s.operands.size() ? s.value : "$a";
    text += fmt::format("; {} = {}({}, {})", next, k == 1 ? "multiply" : "add", value,
                        s.operands[k].name);
    value = next;
  }
  return text;
}

void add_norm(const Graph& graph, std::size_t step, GraphRank rank, GraphHypotheses& all) {
  const GraphStep& s = graph.steps[step];
  Words words = words_of(graph, step);
  words.emplace_back("{eps}", fmt::format("{}", s.number("eps")));
  const auto add = [&](const NormFormula& formula) {
    if (formula.of_gradients != (rank == GraphRank::way_back)) return;
    std::string statements = filled(std::string(formula.statements), words) + affine(s);
    if (s.operands.size() == 1) statements = filled(statements, {{"$n =", s.value + " ="}});
    add_statements(graph, step, std::string(formula.text), statements, rank, all);
  };
  if (s.stage == "rms_norm")
    for (const NormFormula& formula : kUncentred) add(formula);
  else
    for (const NormFormula& formula : kCentred) add(formula);
}

/// Adds the hypotheses that nothing goes back to one operand of a step.
void add_detached(const Graph& graph, std::size_t step, GraphHypotheses& all) {
  const GraphStep& s = graph.steps[step];
  for (std::size_t k = 0; k < s.operands.size(); ++k) {
    const std::string name = s.operands[k].name;
    if (name.empty()) continue;
    Graph edited = graph;
    const std::string value = fmt::format("edit{}_d", step);
    edited.steps[step].operands[k].name = value;
    edited.steps.insert(edited.steps.begin() + static_cast<std::ptrdiff_t>(step),
                        GraphStep{.value = value,
                                  .stage = "detach",
                                  .operands = {{name, 0}},
                                  .axes = {},
                                  .options = {},
                                  .value_axes = graph.axes_of(name)});
    all.push_back(
        changed_graph(fmt::format("nothing goes back from {} to {}", stage_text(graph, step), name),
                      std::move(edited), GraphRank::way_back));
  }
}

/// The derivative of a stage of one operand is taken for 1.
void add_slope_left_out(const Graph& graph, std::size_t step, GraphHypotheses& all) {
  const GraphStage& stage = graph_stage(graph.steps[step].stage);
  if (stage.form != StageForm::elementwise || stage.operands.size() != 1 || stage.detached) return;
  const std::string statements =
      filled("$d = detach(subtract({f}, {x})); {y} = add({x}, $d)", words_of(graph, step));
  add_statements(graph, step, "the derivative is left out", statements, GraphRank::way_back, all);
}

bool is_known_norm(const GraphStep& s) {
  return graph_stage(s.stage).statistics == StageStatistics::own && s.stage != "group_norm";
}

}  // namespace

void add_formulas(const WrongTensor& whole, GraphHypotheses& all) {
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step)
    if (is_known_norm(graph.steps[step])) add_norm(graph, step, GraphRank::change, all);
}

void add_adjoints(const WrongTensor& whole, GraphHypotheses& all) {
  if (!whole.is_gradient()) return;
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    const GraphStep& s = graph.steps[step];
    if (is_known_norm(s)) add_norm(graph, step, GraphRank::way_back, all);
    add_slope_left_out(graph, step, all);
    for (const AdjointFormula& formula : kAdjoints)
      if (formula.stage == s.stage)
        add_statements(graph, step, std::string(formula.text),
                       filled(std::string(formula.statements), words_of(graph, step)),
                       GraphRank::way_back, all);
    if (graph.definitions.empty()) add_detached(graph, step, all);
  }
}

}  // namespace gradproof::diagnosis
