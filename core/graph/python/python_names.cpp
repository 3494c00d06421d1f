// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Entries = std::vector<std::string>;

std::string definition(std::string_view name, const Entries& entries) {
  return fmt::format("{} = ({}{})\n", name, fmt::join(entries, ", "),
                     entries.size() == 1 ? "," : "");
}

std::string option_text(const GraphStep& s, const StageOption& o, DType storage) {
  if (!o.words.empty()) return fmt::format("\"{}\"", s.word(o.key));
  const double number = s.number(o.key);
  return o.whole ? fmt::format("{}", static_cast<std::int64_t>(number))
                 : python_number(number, storage);
}

std::string number_entry(const GraphStep& s, std::string_view word, const std::string& text) {
  return fmt::format("(\"{}\", \"{}\", {})", s.value, word, text);
}

/// What a call of a defined stage says, or its definition for it.
void add_numbers(Entries& numbers, const Graph& graph, const GraphStep& call, DType storage) {
  for (const GraphDefinition& d : graph.definitions) {
    if (d.word != call.stage) continue;
    for (std::size_t k = 0; k < call.operands.size(); ++k)
      if (call.operands[k].is_number())
        numbers.push_back(
            number_entry(call, d.operands[k], python_number(call.operands[k].number, storage)));
    for (const auto& [key, initial] : d.numbers) {
      const auto said = call.options.find(key);
      double number = initial;
      if (said != call.options.end()) parse_double(said->second, number);
      numbers.push_back(number_entry(call, key, python_number(number, storage)));
    }
  }
}

Entries numbers_of(const Graph& graph, DType storage) {
  Entries numbers;
  for (const GraphStep& s : graph.steps) {
    if (const GraphStep* const call = graph.call_of(s)) {
      if (call->value == s.value) add_numbers(numbers, graph, *call, storage);
      continue;
    }
    const GraphStage& row = graph_stage(s.stage);
    const auto add = [&](std::string_view word, const std::string& text) {
      numbers.push_back(number_entry(s, word, text));
    };
    for (std::size_t k = 0; k < s.operands.size(); ++k)
      if (s.operands[k].is_number())
        add(row.operands[k].word, python_number(s.operands[k].number, storage));
    for (const StageOption& o : row.options) add(o.key, option_text(s, o, storage));
  }
  return numbers;
}

std::string axes_entry(const Graph& graph, const std::string& name) {
  return fmt::format("(\"{}\", \"{}\")", name, fmt::join(graph.axes_of(name), " "));
}

}  // namespace

std::string python_number(double number, DType storage) {
  if (storage != DType::f64) number = static_cast<double>(static_cast<float>(number));
  const std::string text = fmt::format("{}", number);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string python_names(const Graph& graph, DType storage) {
  Entries inputs, outputs, axes;
  for (const GraphTensor& t : graph.tensors) {
    inputs.push_back(fmt::format("(\"{}\", {})", t.name,
                                 has_gradient(t.part) ? fmt::format("\"d_{}\"", t.name) : "None"));
    axes.push_back(axes_entry(graph, t.name));
  }
  for (const std::string& output : graph.outputs) {
    outputs.push_back(fmt::format("(\"{}\", \"d{}\")", output, output));
    axes.push_back(axes_entry(graph, output));
  }
  return definition("INPUTS", inputs) + definition("OUTPUTS", outputs) + definition("AXES", axes) +
         definition("NUMBERS", numbers_of(graph, storage));
}

}  // namespace gradproof
