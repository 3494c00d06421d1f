// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/statements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracles/diagnosis/edited_graph.h"

namespace gradproof::diagnosis {
namespace {

std::string word_of(const GraphOperand& operand) {
  return operand.is_number() ? fmt::format("{}", operand.number) : operand.name;
}

std::string call_of(Graph plain, std::size_t step) {
  for (GraphTensor& tensor : plain.tensors) tensor.declared = false;
  return step_texts(plain)[step];
}

}  // namespace

std::string filled(std::string text, const Words& words) {
  for (const auto& [key, word] : words)
    for (std::size_t at = text.find(key); at != std::string::npos;
         at = text.find(key, at + word.size()))
      text.replace(at, key.size(), word);
  return text;
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

std::string call_with(const Graph& graph, std::size_t step, const std::string& first) {
  Graph plain = graph;
  plain.steps[step].operands.front() = {first, 0};
  return call_of(std::move(plain), step);
}

void add_statements(const Graph& graph, std::size_t step, const std::string& text,
                    const std::string& statements, Rank rank, Hypotheses& all) {
  if (auto edited = with_statements(graph, step, statements))
    all.push_back(changed_graph(fmt::format("{}: {}", stage_text(graph, step), text),
                                std::move(*edited), rank));
}

void add_with_node(const WrongTensor& whole, std::size_t step, std::string text,
                   const std::string& statements, const NodeNumbers& numbers, Rank rank,
                   Hypotheses& all) {
  const Graph& graph = whole.claim.graph;
  const std::string name = "edit_node";
  const GraphTensor tensor{name, TensorPart::input, graph.axes_of(numbers.node), true};
  std::optional<Graph> edited =
      with_statements(graph, step, filled(statements, {{"{node}", name}}), {tensor});
  if (!edited) return;
  const auto change = [edited = std::move(*edited), name, numbers](const WrongTensor& asked) {
    std::optional<Changed> changed;
    const Node* const node = asked.nodes == nullptr ? nullptr : asked.nodes->find(numbers.node);
    if (node == nullptr) return changed;
    changed = unchanged(asked);
    changed->claim.graph = edited;
    Tensor made(DType::f64, asked.claim.shape_of(numbers.node));
    const Reals& from = numbers.cotangent ? node->cotangent : node->value;
    for (std::size_t i = 0; i < from.size(); ++i)
      made.set(static_cast<std::int64_t>(i), numbers.function(from[i]));
    changed->inputs.emplace(name, std::move(made));
    return changed;
  };
  all.push_back(changed_to(std::move(text), change, rank));
}

}  // namespace gradproof::diagnosis
