// SPDX-License-Identifier: Apache-2.0
#include "core/graph/name_rules.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/operand_axes.h"
#include "core/graph/stages.h"
#include "core/graph/text/written_call.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

constexpr const char* kTensor = "a tensor";
using Meanings = std::map<std::string, std::string, std::less<>>;

/// Notes the names of gradients and cotangents; a fault where a cotangent's name is noted already.
std::string fault_of_backward(const Graph& graph, Meanings& of_backward) {
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part))
      of_backward.emplace(gradient_name(t.name),
                          fmt::format("the gradient of tensor '{}'", t.name));
  for (const std::string& output : graph.outputs) {
    const std::string name = cotangent_name(output);
    const std::string cotangent = fmt::format("the cotangent of output '{}'", output);
    const auto [found, is_new] = of_backward.emplace(name, cotangent);
    if (!is_new) return fmt::format("'{}' is {} and {}", name, found->second, cotangent);
  }
  return "";
}

/// A fault where an operand behind a stage's first would be read as the axis of that name.
std::string fault_of_operands(const Graph& graph) {
  std::vector<std::string> said;  // with their axes behind them, at their first use
  for (const GraphStep& s : graph.steps)
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
      const std::string& name = s.operands[k].name;
      const auto is_said = [&](const GraphTensor& t) {
        return t.name == name && (t.declared || t.part == TensorPart::fixed);
      };
      const bool in_brackets = !has_name(said, name) && std::ranges::any_of(graph.tensors, is_said);
      if (in_brackets) said.push_back(name);
      if (k > 0 && graph_stage(s.stage).axes != StageAxes::none && is_axis(graph, name) &&
          !in_brackets)
        return fmt::format("'{}' of {} is a tensor or a value, and an axis", name, s.stage);
    }
  return "";
}

}  // namespace

std::string cotangent_name(std::string_view output) { return "d" + std::string(output); }

std::string gradient_name(std::string_view tensor) { return "d_" + std::string(tensor); }

std::string tensor_of_gradient(std::string_view gradient) {
  return std::string(gradient.substr(gradient_name("").size()));
}

std::string fault_of_labels(const Graph& graph) {
  for (const GraphStep& s : graph.steps)
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
      const auto is_it = [&](const GraphTensor& t) { return t.name == s.operands[k].name; };
      const auto t = std::ranges::find_if(graph.tensors, is_it);
      if (t == graph.tensors.end() || t->part != TensorPart::labels) continue;
      if (graph_stage(s.stage).operands[k].part != TensorPart::labels)
        return fmt::format("'{}' has labels, which {} cannot take", t->name, s.stage);
    }
  return "";
}

std::string fault_of_order(const GraphStep& step, const std::vector<std::string>& axes) {
  const std::vector<std::string>& said = step.value_axes;
  if (!step.order_said || said == axes) return "";
  const std::string what = fmt::format("'{}[{}]' has other axes than {} leaves: [{}]", step.value,
                                       fmt::join(said, ","), step.stage, fmt::join(axes, ","));
  if (!std::ranges::is_permutation(said, axes)) return what;
  const GraphStage& row = graph_stage(step.stage);
  if (row.moves() || (row.form == StageForm::contracts && row.axes == StageAxes::said)) return "";
  return what + "; contract and stages that move order them: y[...] = permute(x)";
}

std::string fault_of_outputs(const Graph& graph) {
  const std::vector<std::string> used = operand_names(graph);
  std::vector<std::string> made;
  for (const GraphStep& s : graph.steps) made.push_back(s.value);
  for (const std::string& output : graph.outputs)
    if (!has_name(made, output))
      return fmt::format("output '{}' is no value; known: {}{}", output, fmt::join(made, " "),
                         did_you_mean(output, made));
  if (made_distinct(graph.outputs) != graph.outputs)
    return fmt::format("outputs names a value twice: {}", fmt::join(graph.outputs, " "));
  for (const std::string& value : made)
    if (!has_name(used, value) && !has_name(graph.outputs, value))
      return fmt::format("value '{}' is made, and never used", value);
  for (const GraphTensor& t : graph.tensors)
    if (!has_name(used, t.name)) return fmt::format("tensor '{}' is never used", t.name);
  return "";
}

std::string fault_of_fixed(const std::string& name, FixedKind kind, const GraphTensor* tensor) {
  if (tensor == nullptr)
    return fmt::format(
        "'{0}' is a value; fixed({0}) is said of a tensor, and nothing goes back "
        "through detach({0})",
        name);
  if (kind == FixedKind::filled) return "";
  if (tensor->kind != FixedKind::filled && tensor->kind != kind)
    return fmt::format("'{}' has two kinds, {} and {}", name, name_of(tensor->kind), name_of(kind));
  if (tensor->part > TensorPart::fixed)
    return fmt::format("'{}' is drawn as its stage needs it; it has no kind", name);
  const std::size_t wanted = kind == FixedKind::causal ? 2 : kind == FixedKind::coin ? 0 : 1;
  if (tensor->axes.size() < wanted)
    return fmt::format("kind={} needs {} ax{}; '{}' has [{}]", name_of(kind), wanted,
                       wanted == 1 ? "is" : "es", name, fmt::join(tensor->axes, ","));
  return "";
}

std::string fault_of_names(const Graph& graph) {
  Meanings meanings;
  if (std::string fault = fault_of_backward(graph, meanings); !fault.empty()) return fault;
  const auto fault_of = [&](const std::string& name, std::string is) -> std::string {
    const auto [found, is_new] = meanings.emplace(name, is);
    return is_new ? ""
                  : fmt::format("'{}' is {} and {}; give it another name", name, is, found->second);
  };
  for (const GraphTensor& t : graph.tensors)
    if (std::string fault = fault_of(t.name, kTensor); !fault.empty()) return fault;
  for (const GraphStep& s : graph.steps)
    if (std::string fault = fault_of(s.value, "a value"); !fault.empty()) return fault;
  for (const GraphStep& call : graph.calls)
    for (const GraphOperand& o : call.operands)
      if (is_axis(graph, o.name) && meanings.contains(o.name) && meanings.at(o.name) == kTensor)
        return fmt::format("'{}' is {} and an axis", o.name, kTensor);
  return fault_of_operands(graph);
}

}  // namespace gradproof
