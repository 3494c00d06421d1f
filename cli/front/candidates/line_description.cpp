// SPDX-License-Identifier: Apache-2.0
#include "cli/front/candidates/line_description.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/case/said_keys.h"
#include "core/error.h"
#include "core/graph/dependence.h"
#include "core/graph/graph_case.h"
#include "core/graph/python/python_names.h"
#include "core/graph/stages.h"
#include "core/graph/text/graph_numbers.h"

namespace gradproof {
namespace {

/// In the order of TensorPart.
constexpr std::array<std::string_view, 7> kParts{
    "value", "input", "parameter", "fixed", "running_mean", "running_variance", "labels"};

/// The tensor that the output is behind a training step, or null.
Json becomes_json(const Graph& graph, const std::string& output) {
  for (const GraphStep& s : graph.steps) {
    const GraphStage& row = graph_stage(s.stage);
    if (s.value != output || !row.moves_statistic()) continue;
    for (std::size_t k = 0; k < s.operands.size(); ++k)
      if (row.operands[k].is_running()) return s.operands[k].name;
  }
  return nullptr;
}

Json value_json(const GraphNumber& number, DType storage) {
  if (const auto* const real = std::get_if<double>(&number.value))
    return number_json(computed_in(storage, *real));
  if (const auto* const whole = std::get_if<std::int64_t>(&number.value)) return *whole;
  return std::get<std::string>(number.value);
}

Json tensors_json(const Graph& graph) {
  Json all = Json::array();
  for (const GraphTensor& t : graph.tensors)
    all.push_back({{"name", t.name},
                   {"part", kParts.at(static_cast<std::size_t>(t.part))},
                   {"axes", t.axes}});
  return all;
}

/// True if a cotangent of the output goes back to some tensor.
bool goes_back(const Graph& graph, const std::string& output) {
  return std::ranges::any_of(graph.tensors, [&](const GraphTensor& t) {
    return has_gradient(t.part) && gradient_takes(graph, t.name, output);
  });
}

Json outputs_json(const Graph& graph) {
  Json all = Json::array();
  for (const std::string& output : graph.outputs)
    all.push_back({{"name", output},
                   {"cotangent", "d" + output},
                   {"becomes", becomes_json(graph, output)},
                   {"goes_back", goes_back(graph, output)},
                   {"axes", graph.axes_of(output)}});
  return all;
}

Json gradients_json(const Graph& graph) {
  Json all = Json::array();
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) all.push_back({{"name", "d_" + t.name}, {"of", t.name}});
  return all;
}

Json operations_json(const Graph& graph, DType storage) {
  Json all = Json::array();
  for (const GraphStep& s : graph.steps) {
    Json operands = Json::array();
    for (const GraphOperand& o : s.operands)
      operands.push_back(o.is_number() ? number_json(computed_in(storage, o.number))
                                       : Json(o.name));
    all.push_back(
        {{"value", s.value}, {"stage", s.stage}, {"operands", operands}, {"axes", s.axes}});
  }
  return all;
}

/// The axes that stay apart: no step works over one, and whatever takes numbers with one has a
/// value with it, so that numbers at one place of the axis are made of those at the same place
/// alone.
Json apart_json(const Graph& graph) {
  const auto couples = [&](const GraphStep& s, const std::string& axis) {
    return has_name(s.axes, axis) ||
           (!has_name(s.value_axes, axis) &&
            std::ranges::any_of(s.operands, [&](const GraphOperand& o) {
              return !o.is_number() && has_name(graph.axes_of(o.name), axis);
            }));
  };
  Json all = Json::array();
  for (const GraphAxis& axis : graph.axes)
    if (std::ranges::none_of(graph.steps,
                             [&](const GraphStep& s) { return couples(s, axis.name); }))
      all.push_back(axis.name);
  return all;
}

/// The extents; where the text says none they are no more than examples, for which a window may be
/// too wide, and those of the windows are left out then.
GraphExtents described_extents(const Graph& graph, const Case& c, const std::string& text) {
  const auto keys = said_keys(text);
  GraphExtents examples;
  bool are_said = false;
  for (const GraphAxis& axis : graph.axes) {
    if (!axis.is_given()) continue;
    examples[axis.name] = c.integer(axis.name);
    are_said = are_said ||
               std::ranges::any_of(keys, [&](const auto& said) { return said.first == axis.name; });
  }
  try {
    return graph.extents(examples);
  } catch (const UsageError&) {
    if (are_said) throw;
    return examples;
  }
}

}  // namespace

Json line_description(const Case& c, const std::string& said) {
  const Graph graph = graph_of(c);
  const DType storage = parse_dtype(c.text("dtype"));
  Json axes = Json::array(), numbers = Json::array(), keys = Json::object();
  for (const auto& [name, length] : described_extents(graph, c, said))
    axes.push_back({{"name", name}, {"length", length}});
  for (const GraphNumber& n : graph_numbers(graph))
    numbers.push_back({{"step", n.step}, {"word", n.word}, {"value", value_json(n, storage)}});
  for (const auto& [key, value] : said_keys(said)) keys[key] = value;
  return {{"line", to_string(graph)},
          {"keys", keys},
          {"axes", axes},
          {"tensors", tensors_json(graph)},
          {"outputs", outputs_json(graph)},
          {"gradients", gradients_json(graph)},
          {"numbers", numbers},
          {"apart", apart_json(graph)},
          {"operations", operations_json(graph, storage)}};
}

}  // namespace gradproof
