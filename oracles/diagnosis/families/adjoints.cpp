// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the adjoint of one step, whose value is right.
#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/statements.h"

namespace gradproof::diagnosis {
namespace {

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
    AdjointFormula{"silu", "the derivative has x s (1 - s) with the wrong sign, s = sigmoid(x)",
                   "{y} = subtract(multiply({x}, multiply(2, detach(sigmoid({x})))), {f})"},
    AdjointFormula{"silu", "the derivative is multiplied in twice",
                   "$s = sigmoid({x}); "
                   "$k = detach(multiply($s, add(1, multiply({x}, subtract(1, $s))))); "
                   "$d = multiply($k, {f}); {y} = add($d, detach(subtract({f}, $d)))"},
    AdjointFormula{"gelu", "the derivative lacks its term x phi(x)",
                   "$p = multiply(0.5, add(1, erf(multiply({x}, 0.7071067811865476)))); "
                   "{y} = multiply({x}, detach($p))"},
    AdjointFormula{"sigmoid", "the derivative is s, not s (1 - s)",
                   "{y} = multiply(detach({f}), {x})"},
    AdjointFormula{"tanh", "the derivative is 1 - y, not 1 - y^2",
                   "{y} = multiply({x}, detach(subtract(1, {f})))"},
    AdjointFormula{"sigmoid", "the derivative takes x for y: x (1 - x)",
                   "$d = multiply(detach(multiply({x}, subtract(1, {x}))), {x}); "
                   "{y} = add($d, detach(subtract({f}, $d)))"},
    AdjointFormula{"tanh", "the derivative takes x for y: 1 - x^2",
                   "$d = multiply(detach(subtract(1, square({x}))), {x}); "
                   "{y} = add($d, detach(subtract({f}, $d)))"},
    AdjointFormula{"exp", "the derivative takes x for y: x",
                   "$d = multiply(detach({x}), {x}); {y} = add($d, detach(subtract({f}, $d)))"},
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

/// Adds the hypotheses that nothing goes back to one operand of a step.
void add_detached(const Graph& graph, std::size_t step, Hypotheses& all) {
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
    all.push_back(changed_graph(fmt::format("nothing goes back from {} to {}",
                                            stage_text(graph, step), value_text(graph, name)),
                                std::move(edited), Rank::way_back));
  }
}

/// The derivative of a stage of one operand is taken for 1.
void add_slope_left_out(const Graph& graph, std::size_t step, Hypotheses& all) {
  const GraphStage& stage = graph_stage(graph.steps[step].stage);
  if (stage.form != StageForm::elementwise || stage.operands.size() != 1 || stage.detached) return;
  const std::string statements =
      filled("$d = detach(subtract({f}, {x})); {y} = add({x}, $d)", words_of(graph, step));
  add_statements(graph, step, "the derivative is left out", statements, Rank::way_back, all);
}

/// A tensor by which a step multiplies is left out on the way back, or comes in twice.
void add_factor_of(const Graph& graph, std::size_t step, Hypotheses& all) {
  const GraphStep& s = graph.steps[step];
  if (!graph_stage(s.stage).is_factor() || s.operands[1].is_number()) return;
  const std::string& name = s.operands[1].name;
  const auto add = [&](const char* text, const char* product) {
    const std::string statements =
        fmt::format("$d = {}; {{y}} = add($d, detach(subtract({{f}}, $d)))", product);
    add_statements(graph, step, fmt::format("{} is {} on the way back", name, text),
                   filled(statements, words_of(graph, step)), Rank::way_back, all);
  };
  add("left out", "add({x}, 0)");
  add("multiplied in twice", "multiply({f}, detach({z}))");
}

/// The steps of one stage get the same wrong adjoint, as if they shared a function.
void add_to_each(const Graph& graph, const AdjointFormula& formula, Hypotheses& all) {
  std::vector<std::size_t> steps;
  for (std::size_t step = 0; step < graph.steps.size(); ++step)
    if (graph.steps[step].stage == formula.stage) steps.push_back(step);
  if (steps.size() < 2) return;
  std::optional<Graph> edited = graph;
  for (const std::size_t step : std::views::reverse(steps))
    if (edited)
      edited = with_statements(*edited, step,
                               filled(std::string(formula.statements), words_of(*edited, step)));
  if (edited)
    all.push_back(changed_graph(fmt::format("each {}: {}", formula.stage, formula.text),
                                std::move(*edited), Rank::way_back));
}

/// The derivative of a stage of one operand is taken at another value than its operand.
void add_slopes_elsewhere(const WrongTensor& whole, std::size_t step, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const GraphStep& s = graph.steps[step];
  if (!graph_stage(s.stage).is_curved() || s.operands.size() != 1) return;
  const std::string statements = "$d = subtract({x}, detach({x})); $u = add({node}, $d); $g = " +
                                 call_with(graph, step, "$u") +
                                 "; {y} = add($g, detach(subtract({f}, $g)))";
  const Node* const own = whole.nodes->find(s.operands.front().name);
  for (const Node& node : whole.nodes->all) {
    const bool is_of_line = !node.name.starts_with("edit_");
    if (own == nullptr || &node == own || !is_of_line || node.axes != s.value_axes) continue;
    add_with_node(whole, step,
                  fmt::format("the derivative of {} is taken at {}, not at {}",
                              stage_text(graph, step), node.text, own->text),
                  filled(statements, words_of(graph, step)), {node.name}, Rank::way_back, all);
  }
}

/// The cotangent that goes back to a step's value is multiplied in twice there.
void add_cotangent_twice(const WrongTensor& whole, std::size_t step, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const GraphStep& s = graph.steps[step];
  const GraphStage& stage = graph_stage(s.stage);
  const Node* const node = whole.nodes->find(s.value);
  if (stage.form != StageForm::elementwise || stage.is_summand() || stage.detached ||
      node == nullptr || node->cotangent.empty())
    return;
  for (const std::string& output : graph.outputs)  // add_cotangents() has that
    if (const Node* const last = whole.nodes->find(output);
        last != nullptr && last->cotangent == node->cotangent)
      return;
  add_with_node(whole, step,
                fmt::format("{} is multiplied in twice, in {}", node->cotangent_text,
                            stage_text(graph, step)),
                filled("$d = multiply({f}, {node}); {y} = add($d, detach(subtract({f}, $d)))",
                       words_of(graph, step)),
                {s.value, true}, Rank::way_back, all);
}

}  // namespace

void add_adjoints(const WrongTensor& whole, Hypotheses& all) {
  if (!whole.is_gradient()) return;
  const Graph& graph = whole.claim.graph;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    const GraphStep& s = graph.steps[step];
    add_slope_left_out(graph, step, all);
    add_factor_of(graph, step, all);
    for (const AdjointFormula& formula : kAdjoints)
      if (formula.stage == s.stage)
        add_statements(graph, step, std::string(formula.text),
                       filled(std::string(formula.statements), words_of(graph, step)),
                       Rank::way_back, all);
    if (graph.definitions.empty()) add_detached(graph, step, all);
    if (whole.nodes == nullptr) continue;
    add_slopes_elsewhere(whole, step, all);
    add_cotangent_twice(whole, step, all);
  }
  for (const AdjointFormula& formula : kAdjoints) add_to_each(graph, formula, all);
}

}  // namespace gradproof::diagnosis
