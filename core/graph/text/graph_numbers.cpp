// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/graph_numbers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/case/schema.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

const GraphDefinition& definition_of(const Graph& graph, const GraphStep& call) {
  return *std::find_if(graph.definitions.begin(), graph.definitions.end(),
                       [&](const GraphDefinition& d) { return d.word == call.stage; });
}

/// The name of the operand in the row of the stage, or in the definition of the called one.
std::string operand_word(const Graph& graph, const GraphStep& s, std::size_t k) {
  for (const GraphStep& call : graph.calls)
    if (call.value == s.value) return definition_of(graph, call).operands.at(k);
  return std::string(graph_stage(s.stage).operands[k].word);
}

void add_operands(std::vector<GraphNumber>& numbers, const Graph& graph, const GraphStep& s) {
  for (std::size_t k = 0; k < s.operands.size(); ++k)
    if (s.operands[k].is_number())
      numbers.push_back({s.value, operand_word(graph, s, k), s.operands[k].number});
}

/// Adds the numbers that a call of a defined stage says, or that its definition says for it.
void add_call(std::vector<GraphNumber>& numbers, const Graph& graph, const GraphStep& call) {
  add_operands(numbers, graph, call);
  for (const auto& [key, initial] : definition_of(graph, call).numbers) {
    double number = initial;
    if (const auto said = call.options.find(key); said != call.options.end())
      parse_double(said->second, number);
    numbers.push_back({call.value, key, number});
  }
}

GraphNumber option_of(const GraphStep& s, const StageOption& o) {
  GraphNumber number{s.value, std::string(o.key), s.number(o.key)};
  if (!o.words.empty()) number.value = s.word(o.key);
  if (o.whole) number.value = static_cast<std::int64_t>(s.number(o.key));
  if (const auto said = s.options.find(o.key);
      said != s.options.end() && o.each_axis && said->second.find('x') != std::string::npos)
    number.value = said->second;
  return number;
}

}  // namespace

std::vector<GraphNumber> graph_numbers(const Graph& graph) {
  std::vector<GraphNumber> numbers;
  for (const GraphStep& s : graph.steps) {
    if (const GraphStep* const call = graph.call_of(s)) {
      if (call->value == s.value) add_call(numbers, graph, *call);
      continue;
    }
    add_operands(numbers, graph, s);
    for (const StageOption& o : graph_stage(s.stage).options) numbers.push_back(option_of(s, o));
  }
  return numbers;
}

Graph with_number(Graph graph, const GraphNumber& number, double value) {
  const auto has_value = [&](const GraphStep& s) { return s.value == number.step; };
  auto found = std::find_if(graph.calls.begin(), graph.calls.end(), has_value);
  if (found == graph.calls.end())
    found = std::find_if(graph.steps.begin(), graph.steps.end(), has_value);
  bool is_operand = false;
  for (std::size_t k = 0; k < found->operands.size(); ++k)
    if (found->operands[k].is_number() && operand_word(graph, *found, k) == number.word) {
      found->operands[k].number = value;
      is_operand = true;
    }
  if (!is_operand) found->options[number.word] = fmt::format("{}", value);
  return parse_graph(to_string(graph));
}

}  // namespace gradproof
