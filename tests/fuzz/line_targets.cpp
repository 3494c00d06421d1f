// SPDX-License-Identifier: Apache-2.0
// The reader of a Case about a graph, and what is made of the Case: its tensors, Python and the
// judge. A line that is wrong and read does its damage there.
#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/given_tensors.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_types.h"
#include "core/graph/python/python_source.h"
#include "core/parallel.h"
#include "oracles/graph/judge_graph.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/targets.h"

namespace gradproof {
namespace {

/// More numbers and steps would be most of the time, and reach no other code.
constexpr double kMostNumbers = 4096;
constexpr std::size_t kMostSteps = 64;

double numbers_of(const std::vector<std::string>& axes, const GraphExtents& extents) {
  double count = 1;
  for (const std::string& axis : axes) count *= static_cast<double>(extents.at(axis));
  return count;
}

bool is_small(const Graph& graph, const GraphExtents& extents) {
  double count = 0;
  for (const GraphTensor& t : graph.tensors) count += numbers_of(t.axes, extents);
  for (const GraphStep& s : graph.steps) count += numbers_of(s.value_axes, extents);
  return count <= kMostNumbers && graph.steps.size() <= kMostSteps;
}

std::vector<std::string> keys_of(const Case& c) {
  std::vector<std::string> names;
  for (const Key& key : c.schema().keys) names.push_back(key.name);
  return names;
}

/// Tensors of zeros, of the types and shapes that whoever computes the graph would give.
Tensors zeros(const GraphClaim& claim, const GraphTypes& types) {
  Tensors all;
  for (const std::string& name : judged_names(claim.graph)) {
    const bool is_output = has_name(claim.graph.outputs, name);
    Tensor t(types.of(name), claim.shape_of(is_output ? name : tensor_of_gradient(name)));
    for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, 0);
    all.emplace(name, std::move(t));
  }
  return all;
}

bool is_judged(const Case& c, const Graph& graph) {
  const GraphTypes types = types_of(graph, c);
  const DeclaredContract contract = parse_declared_contract(c.text("contract"), graph);
  const GraphClaim claim{graph, extents_of(graph, c), graph_contract(graph, types, contract)};
  if (!is_small(graph, claim.extents)) return false;
  const Tensors inputs = make_graph_inputs(graph, c);
  const Tensors got = zeros(claim, types);
  for (const auto& [name, judged] : judge_graph(claim, inputs, got))
    require(judged.discrepancy.elements == get(got, name).numel(),
            "not every element was judged of " + name);
  return true;
}

}  // namespace

bool line_is_judged(std::string_view text) {
  const auto c = unless_refused<UsageError>([&] { return parse_case(text, {}); });
  if (!c || !is_graph_in_braces(*c) || has_given_tensors(*c)) return false;
  const Case again = parse_case(to_string(*c), {});
  require(again == *c && keys_of(again) == keys_of(*c) && graph_of(again) == graph_of(*c),
          "the text of a Case is another Case: " + to_string(*c));
  const Graph graph = graph_of(*c);
  unless_refused<UsageError>([&] {
    return is_small(graph, extents_of(graph, *c))
               ? python_source(graph, extents_of(graph, *c), DType::f32)
               : std::string();
  });
  const ThreadLimit limit(1);
  return unless_refused<UsageError>([&] { return is_judged(*c, graph); }).value_or(false);
}

void fuzz_line(std::string_view text) { line_is_judged(text); }

}  // namespace gradproof
