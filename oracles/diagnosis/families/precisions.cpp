// SPDX-License-Identifier: Apache-2.0
// Hypotheses about a value that is rounded, a narrow exp, and a number that the value alone has.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/statements.h"

namespace gradproof::diagnosis {
namespace {

/// exp(x) as a float32 has it.
double narrow_exp(double x) {
  return static_cast<float>(std::exp(static_cast<double>(static_cast<float>(x))));
}

double narrow_sigmoid(LongDouble z) {
  const double e = narrow_exp(-static_cast<double>(std::fabs(z)));
  return z < 0 ? e / (1 + e) : 1 / (1 + e);
}

/// A stage whose exp is that of a float32: {node} is the function of the operand's numbers, from
/// which the statements make value and derivative.
struct NarrowExp {
  std::string_view stage;
  double (*function)(LongDouble z);
  std::string_view value;
  std::string_view slope;
};
constexpr std::array kNarrowExps{
    NarrowExp{"silu", narrow_sigmoid, "multiply({x}, {node})",
              "multiply({node}, add(1, multiply({x}, subtract(1, {node}))))"},
    NarrowExp{"sigmoid", narrow_sigmoid, "{node}", "multiply({node}, subtract(1, {node}))"},
    NarrowExp{"exp", [](LongDouble z) { return narrow_exp(static_cast<double>(z)); }, "{node}",
              "{node}"},
};

void add_narrow_exp(const WrongTensor& whole, std::size_t step, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const GraphStep& s = graph.steps[step];
  const std::string& x = s.operands.front().name;
  for (const NarrowExp& narrow : kNarrowExps) {
    if (narrow.stage != s.stage || whole.nodes->find(x) == nullptr) continue;
    const std::string statements =
        fmt::format("$d = multiply(detach({}), {{x}}); {{y}} = add($d, detach(subtract({}, $d)))",
                    narrow.slope, narrow.value);
    add_with_node(
        whole, step, fmt::format("the exp of {} is that of a float32", stage_text(graph, step)),
        filled(statements, words_of(graph, step)), {x, false, narrow.function}, Rank::change, all);
  }
}

void add_rounded_value(const Graph& graph, std::size_t step, std::string_view type,
                       Hypotheses& all) {
  const std::string statements =
      fmt::format("$v = {{f}}; {{y}} = add($v, detach(subtract(round_to($v, to={}), $v)))", type);
  if (auto edited = with_statements(graph, step, filled(statements, words_of(graph, step))))
    all.push_back(changed_graph(
        fmt::format("the value behind {} is rounded to {}", stage_text(graph, step), type),
        std::move(*edited)));
}

/// A number by which the value is multiplied where it is divided, or the other way, while the
/// gradient is right.
void add_inverse_in_value(const Graph& graph, std::size_t step, Hypotheses& all) {
  const GraphStep& s = graph.steps[step];
  for (std::size_t k = 0; k < s.operands.size(); ++k) {
    const double now = s.operands[k].number;
    if (!s.operands[k].is_number() || now == 0 || std::fabs(now) == 1) continue;
    Graph other = graph;
    other.steps[step].operands[k].number = 1 / now;
    const std::string statements = fmt::format("{{y}} = add({{f}}, detach(subtract({}, {{f}})))",
                                               filled("{f}", words_of(other, step)));
    if (auto edited = with_statements(graph, step, filled(statements, words_of(graph, step))))
      all.push_back(
          changed_graph(fmt::format("the number of {} is {:.6g}, not {:.6g}, in the value "
                                    "alone",
                                    stage_text(graph, step), 1 / now, now),
                        std::move(*edited)));
  }
}

}  // namespace

void add_precisions(const WrongTensor& whole, Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const GraphContract& contract = whole.claim.contract;
  const bool narrow = contract.storage == DType::f16 || contract.storage == DType::bf16;
  for (std::size_t step = 0; step < graph.steps.size(); ++step) {
    if (whole.nodes != nullptr && contract.storage == DType::f64) add_narrow_exp(whole, step, all);
    if (whole.is_gradient()) add_inverse_in_value(graph, step, all);
    if (narrow && !contract.stored_values)
      add_rounded_value(graph, step, name_of(contract.storage), all);
  }
}

}  // namespace gradproof::diagnosis
