// SPDX-License-Identifier: Apache-2.0
// Hypotheses about a value that is rounded, a narrow exp, and a number that the value alone has.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "oracles/diagnosis/edited_graph.h"
#include "oracles/diagnosis/narrow_types.h"
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

/// The tensors and cotangents of these names, each of its numbers rounded.
Change rounded(std::vector<std::string> names, double (*round)(double)) {
  return [names = std::move(names), round](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    for (const std::string& name : names) {
      Tensor& tensor = changed->inputs.at(name);
      tensor = made_of(tensor, [&](std::int64_t i) { return round(tensor.at(i)); });
    }
    return changed;
  };
}

/// Names of the inputs whose numbers a type of that precision does not have.
std::vector<std::string> wider_inputs(const WrongTensor& whole, int precision) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : whole.inputs)
    if (tensor.dtype() != DType::i64 && precision_of(tensor.dtype()) > precision)
      names.push_back(name);
  return names;
}

/// The inputs that products multiply: tensors, and in a gradient the cotangents.
std::vector<std::string> multiplied(const WrongTensor& whole,
                                    const std::vector<std::string>& names) {
  const Graph& graph = whole.claim.graph;
  std::vector<std::string> found;
  const auto add = [&](const std::string& name) {
    if (has_name(names, name) && !has_name(found, name)) found.push_back(name);
  };
  for (const GraphStep& step : graph.steps)
    if (graph_stage(step.stage).form == StageForm::contracts)
      for (const GraphOperand& operand : step.operands) add(operand.name);
  if (whole.is_gradient() && !found.empty())
    for (const std::string& output : graph.outputs) add(cotangent_name(output));
  return found;
}

/// "x", "x and weight", "x, weight and dy"
std::string listed(std::vector<std::string> names) {
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

void add_rounded_inputs(const WrongTensor& whole, Hypotheses& all) {
  for (const NarrowType& narrow : narrow_types()) {
    const std::vector<std::string> names = wider_inputs(whole, narrow.precision);
    const std::string_view type = narrow.name == "f16" ? "f16 or TF32" : narrow.name;
    for (const std::string& name : names)
      all.push_back(changed_to(
          fmt::format("{} is rounded to {} before it is used{}", name, type, narrow.more),
          rounded({name}, narrow.round)));
    const std::vector<std::string> factors = multiplied(whole, names);
    if (factors.size() > 1)
      all.push_back(changed_to(fmt::format("{} are rounded to {} before they are multiplied{}",
                                           listed(factors), type, narrow.more),
                               rounded(factors, narrow.round)));
  }
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
    // A rounded output has words of its own (misplaced.cpp).
    if (!narrow && graph.steps[step].value != whole.name)
      for (const char* type : {"f16", "bf16"}) add_rounded_value(graph, step, type, all);
  }
  add_rounded_inputs(whole, all);
}

}  // namespace gradproof::diagnosis
