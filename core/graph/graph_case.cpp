// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_case.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/case/inputs.h"
#include "core/case/law_key.h"
#include "core/case/witnessed_case.h"
#include "core/error.h"
#include "core/graph/axes/moves.h"
#include "core/graph/graph_fill.h"
#include "core/graph/graph_types.h"
#include "core/graph/labels.h"
#include "core/graph/samples/masks.h"
#include "core/graph/stages.h"
#include "core/tensor/philox.h"

namespace gradproof {
namespace {

/// A parameter or a running statistic from u in [0, 1) and a sign: no identity of its stage.
double part_of_module(TensorPart part, double u, double sign) {
  if (part == TensorPart::running_mean) return sign * (0.25 + u);
  if (part == TensorPart::running_variance) return 0.5 + 1.5 * u;
  return sign * (0.5 + u);
}

/// One label of eight is ignored where one may be.
double drawn_label(const LabelRange& range, std::uint64_t bits) {
  const auto classes = static_cast<std::uint64_t>(std::max<std::int64_t>(range.classes, 1));
  if (range.ignored != kNothingIgnored && bits >> 61 == 0) return range.ignored;
  return static_cast<double>(bits % classes);
}

Tensor drawn(const Graph& graph, const GraphTensor& tensor, const Shape& shape,
             const GraphExtents& extents, const Case& c, DType type) {
  if (tensor.kind != FixedKind::filled) return filled_mask(graph, tensor, shape, c, type);
  if (is_filled(tensor.part)) return filled_input(graph, tensor, extents, c, type);
  const Stream stream(seed_of(c), tensor.name);
  const bool labels = tensor.part == TensorPart::labels;
  Tensor t(type, shape);
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    if (labels) {
      t.set(i, drawn_label(label_range(graph, tensor.name, extents), stream.bits(at)));
      continue;
    }
    t.set(i, part_of_module(tensor.part, stream.uniform(2 * at),
                            stream.bits(2 * at + 1) & 1 ? -1 : 1));
  }
  return t;
}

/// Adds the keys that say what is judged in place of LibTorch, when nothing is drawn, and under
/// which contract.
void add_given_keys(Schema& schema) {
  const auto add = [&](const char* name, const char* help) {
    schema.keys.push_back({name, KeyType::text, "", {}, 0, 0, help, {}, true});
  };
  for (const Key& key : graph_input_keys())
    schema.refusals.push_back({{{"outputs", "!=", ""}, {key.name, "!=", key.initial}},
                               key.name + " says how tensors are drawn, and these are given"});
  add("inputs", "file of given tensors");
  add("outputs", "file of given outputs and gradients, which are judged");
  add("contract", "of what computes them (docs/contracts.md)");
  schema.keys.push_back({"elements",
                         KeyType::word,
                         "sampled",
                         {"sampled", "all"},
                         0,
                         0,
                         "judged of products that take long",
                         {},
                         true});
  schema.refusals.push_back(
      {{{"outputs", "!=", ""}, {"inputs", "=", ""}}, "outputs= needs inputs="});
  schema.refusals.push_back(
      {{{"outputs", "=", ""}, {"inputs", "!=", ""}}, "inputs= is for given outputs="});
}

/// Keys of a Case that asks about laws of what computes the graph.
void add_law_keys(Schema& schema) {
  const auto add = [&](Key key, const char* why) {
    schema.refusals.push_back({{{"law", "=", "none"}, {key.name, "!=", key.initial}}, why});
    schema.keys.push_back(std::move(key));
  };
  schema.keys.push_back(law_key());
  schema.keys.push_back(calls_key());
  schema.refusals.push_back(calls_without_law());
  add({"op",
       KeyType::word,
       "both",
       {"both", "forward"},
       0,
       0,
       "of law=: of backward too",
       {},
       true},
      "op is for law=");
  add({"deterministic",
       KeyType::word,
       "yes",
       {"yes", "no"},
       0,
       0,
       "of law=: calls repeat bits",
       {},
       true},
      "deterministic is for law=");
  add({"answers", KeyType::text, "", {}, 0, 0, "of law=: folder of a function's answers", {}, true},
      "answers= is for law=");
  schema.refusals.push_back({{{"law", "!=", "none"}, {"outputs", "!=", ""}},
                             "laws call what computes, and outputs= are given"});
}

}  // namespace

GraphWord graph_word(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return {nullptr, text};
  // Definitions have braces of their own.
  std::size_t last = first;
  for (int open = 1; open > 0;) {
    last = text.find_first_of("{}", last + 1);
    if (last == std::string_view::npos)
      throw UsageError(fmt::format("'}}' is wanted behind the graph in '{}'", text));
    open += text[last] == '{' ? 1 : -1;
  }
  return {graph_schema(text.substr(first + 1, last - first - 1)), text.substr(last + 1)};
}

std::string system_name(const Case& c) {
  // A kernel of somebody's own may have axes of these names.
  const bool has_name = is_graph_in_braces(c) || is_witnessed_case(c);
  return has_name && !c.text("name").empty() ? c.text("name") : c.word();
}

std::optional<std::string> part_of(const Case& c) {
  const bool may = is_graph_in_braces(c) || is_witnessed_case(c);
  return may && !c.text("part_of").empty() ? std::optional(c.text("part_of")) : std::nullopt;
}

bool is_graph_case(const Case& c) { return c.schema().by_graph; }

bool is_graph_in_braces(const Case& c) { return c.word().starts_with('{'); }

Graph graph_of(const Case& c) { return parse_graph(c.schema().pipeline); }

bool has_given_tensors(const Case& c) {
  return (is_graph_in_braces(c) || is_witnessed_case(c)) && !c.text("outputs").empty();
}

Schema schema_of_graph(const Graph& graph, std::vector<std::string> dtypes) {
  Schema schema;
  schema.pipeline = to_string(graph);
  schema.by_graph = true;
  for (const GraphAxis& axis : graph.axes) {
    if (!axis.is_given()) continue;
    schema.keys.push_back(
        {axis.name, KeyType::integer, "8", {}, 1, INT64_MAX, "extent of an axis"});
    schema.size_keys.push_back(axis.name);
  }
  std::string first = dtypes.at(0);
  schema.keys.push_back({"dtype", KeyType::word, first, std::move(dtypes), 0, 0, "of all tensors"});
  schema.keys.push_back({"dtypes",
                         KeyType::text,
                         "",
                         {},
                         0,
                         0,
                         "of tensors with another one: weight:f32,bias:f32",
                         {},
                         true});
  for (Key& key : graph_input_keys()) schema.keys.push_back(std::move(key));
  for (const std::string& output : graph.outputs) schema.tensors.push_back(output);
  return schema;
}

void add_gradients(const Graph& graph, Schema& schema) {
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) schema.tensors.push_back("d_" + t.name);
}

void require_axes_apart(const Schema& schema) {
  for (const Key& a : schema.keys)
    for (const Key& b : schema.keys)
      if (&a != &b && a.name == b.name)
        throw UsageError(
            fmt::format("axis '{}' has the name of a key in '{}'", a.name, schema.pipeline));
}

SchemaPtr graph_schema(std::string_view text) {
  const Graph graph = parse_graph(text);
  Schema schema = schema_of_graph(graph, {"f32", "f64", "f16", "bf16"});
  schema.summary = schema.pipeline;
  schema.word = "{" + schema.pipeline + "}";
  add_given_keys(schema);
  add_law_keys(schema);
  schema.keys.push_back({"name", KeyType::text, "", {}, 0, 0, "what reports call it", {}, true});
  schema.keys.push_back(part_of_key());
  require_axes_apart(schema);
  add_gradients(graph, schema);
  return std::make_shared<const Schema>(std::move(schema));
}

GraphExtents extents_of(const Graph& graph, const Case& c) {
  GraphExtents said;
  for (const GraphAxis& axis : graph.axes)
    if (axis.is_given()) said[axis.name] = c.integer(axis.name);
  return graph.extents(said);
}

std::vector<SamplePlan> sample_plans_of(const Case& c, const Graph& graph,
                                        const GraphExtents& extents) {
  const bool all = !is_graph_in_braces(c) || c.is("elements", "all") || c.text("law") != "none";
  return all ? std::vector<SamplePlan>() : sample_plans(with_masks(graph).graph, extents);
}

Tensors make_graph_inputs(const Graph& graph, const Case& c) {
  const GraphExtents extents = extents_of(graph, c);
  const GraphTypes types = types_of(graph, c);
  const auto shape_of = [&](const std::string& name) {
    Shape shape;
    for (const std::string& axis : graph.axes_of(name)) shape.push_back(extents.at(axis));
    return shape;
  };
  Tensors tensors;
  for (const GraphTensor& t : graph.tensors)
    tensors.emplace(t.name, drawn(graph, t, shape_of(t.name), extents, c, types.of(t.name)));
  for (const std::string& output : graph.outputs)
    tensors.emplace("d" + output, filled_cotangent(graph, output, shape_of(output), c, tensors,
                                                   types.of("d" + output)));
  set_elements(c, tensors);
  for (const GraphTensor& t : graph.tensors)
    if (t.part == TensorPart::labels)
      refuse_wrong_labels(t.name, tensors.at(t.name), label_range(graph, t.name, extents));
  return tensors;
}

}  // namespace gradproof
