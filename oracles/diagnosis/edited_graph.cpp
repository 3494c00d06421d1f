// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/edited_graph.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/stages.h"

namespace gradproof::diagnosis {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The line with the axes of each tensor at its first use, as the language wants them.
class Annotated {
 public:
  explicit Annotated(std::vector<GraphTensor> tensors) : tensors_(std::move(tensors)) {}

  std::string text(const std::string& plain) {
    std::string all;
    for (std::size_t at = 0; at < plain.size();) {
      if (!is_of_name(plain[at])) {
        all += plain[at++];
        continue;
      }
      std::size_t end = at;
      while (end < plain.size() && is_of_name(plain[end])) ++end;
      all += word(plain.substr(at, end - at), end < plain.size() ? plain[end] : '\0');
      at = end;
    }
    return all;
  }

 private:
  std::string word(const std::string& name, char behind) {
    const auto tensor = std::ranges::find(tensors_, name, &GraphTensor::name);
    if (tensor == tensors_.end() || behind == '(' || behind == '=' || !seen_.insert(name).second)
      return name;
    return fmt::format("{}[{}]", name, fmt::join(tensor->axes, ","));
  }

  std::vector<GraphTensor> tensors_;
  std::set<std::string> seen_;
};

bool is_editable(const Graph& graph) {
  const auto is_axis = [&](const GraphTensor& tensor) {
    return std::ranges::find(graph.axes, tensor.name, &GraphAxis::name) != graph.axes.end();
  };
  return graph.definitions.empty() && std::ranges::none_of(graph.tensors, is_axis);
}

/// True if the outputs and the line's tensors have the same axes in both.
bool agrees(const Graph& edited, const Graph& graph) {
  const auto same = [&](const std::string& name) {
    return edited.axes_of(name) == graph.axes_of(name);
  };
  return edited.outputs == graph.outputs && std::ranges::all_of(graph.outputs, same) &&
         std::ranges::all_of(graph.tensors, [&](const GraphTensor& tensor) {
           return std::ranges::find(edited.tensors, tensor.name, &GraphTensor::name) ==
                      edited.tensors.end() ||
                  same(tensor.name);
         });
}

/// `$m` becomes a name that nothing has.
std::string named(const std::string& statements, std::size_t step) {
  std::string text;
  for (const char c : statements)
    text += c == '$' ? fmt::format("edit{}_", step) : std::string(1, c);
  return text;
}

}  // namespace

std::string stage_text(const Graph& graph, std::size_t step) {
  static constexpr std::array<std::string_view, 4> kOrdinals{"first", "second", "third", "fourth"};
  const GraphStep& s = graph.steps[step];
  const auto end = graph.steps.begin() + static_cast<std::ptrdiff_t>(step);
  const auto alike = std::ranges::count(graph.steps, s.stage, &GraphStep::stage);
  if (alike == 1) return s.stage;
  if (alike > std::ssize(kOrdinals)) return fmt::format("the {} of {}", s.stage, s.value);
  const auto before = std::ranges::count(graph.steps.begin(), end, s.stage, &GraphStep::stage);
  return fmt::format("the {} {}", kOrdinals[static_cast<std::size_t>(before)], s.stage);
}

std::string value_text(const Graph& graph, std::string_view name) {
  for (std::size_t step = 0; step < graph.steps.size(); ++step)
    if (graph.steps[step].value == name) return "the value behind " + stage_text(graph, step);
  return std::string(name);
}

bool has_groups(const GraphStep& step) { return graph_stage(step.stage).axes == StageAxes::group; }

std::int64_t group_count(const GraphStep& step) {
  return has_groups(step) ? static_cast<std::int64_t>(step.number("groups")) : 1;
}

std::size_t place_of_operand(const GraphStep& step, std::string_view word) {
  const auto& row = graph_stage(step.stage).operands;
  for (std::size_t k = 0; k < std::min(row.size(), step.operands.size()); ++k)
    if (row[k].word == word) return k;
  return step.operands.size();
}

GraphStep elementwise_step(std::string value, std::string stage, std::vector<GraphOperand> operands,
                           std::vector<std::string> axes) {
  GraphStep step;
  step.value = std::move(value);
  step.stage = std::move(stage);
  step.operands = std::move(operands);
  step.value_axes = std::move(axes);
  return step;
}

Graph without_unused(Graph graph) {
  std::erase_if(graph.tensors, [&](const GraphTensor& tensor) {
    return std::ranges::none_of(graph.steps,
                                [&](const GraphStep& s) { return s.takes(tensor.name); });
  });
  return graph;
}

std::optional<Graph> with_statements(const Graph& graph, std::size_t step,
                                     const std::string& statements,
                                     const std::vector<GraphTensor>& more) {
  if (!is_editable(graph)) return std::nullopt;
  std::vector<GraphTensor> tensors = graph.tensors;
  tensors.insert(tensors.end(), more.begin(), more.end());
  Graph plain = graph;
  for (GraphTensor& tensor : plain.tensors) tensor.declared = false;
  const std::vector<std::string> calls = step_texts(plain);
  std::vector<std::string> all;
  for (std::size_t k = 0; k < calls.size(); ++k)
    all.push_back(k == step ? named(statements, step)
                            : fmt::format("{} = {}", graph.steps[k].value, calls[k]));
  const std::string line = fmt::format(
      "{}; outputs {}", Annotated(tensors).text(fmt::format("{}", fmt::join(all, "; "))),
      fmt::join(graph.outputs, " "));
  try {
    Graph edited = parse_graph(line);
    if (agrees(edited, graph)) return edited;
  } catch (const UsageError&) {
    // The language has no such line.
  }
  return std::nullopt;
}

}  // namespace gradproof::diagnosis
