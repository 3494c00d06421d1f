// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/text/graph_numbers.h"

namespace gradproof {
namespace {

using Entries = std::vector<std::string>;

std::string definition(std::string_view name, const Entries& entries) {
  return fmt::format("{} = ({}{})\n", name, fmt::join(entries, ", "),
                     entries.size() == 1 ? "," : "");
}

std::string number_text(const GraphNumber& number, DType storage) {
  if (const auto* const real = std::get_if<double>(&number.value))
    return python_number(*real, storage);
  if (const auto* const whole = std::get_if<std::int64_t>(&number.value))
    return fmt::format("{}", *whole);
  return fmt::format("\"{}\"", std::get<std::string>(number.value));
}

Entries number_entries(const Graph& graph, DType storage) {
  Entries entries;
  for (const GraphNumber& n : graph_numbers(graph))
    entries.push_back(fmt::format("(\"{}\", \"{}\", {})", n.step, n.word, number_text(n, storage)));
  return entries;
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
         definition("NUMBERS", number_entries(graph, storage));
}

}  // namespace gradproof
