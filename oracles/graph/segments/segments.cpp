// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/segments.h"

#include <algorithm>
#include <cstddef>

#include "core/graph/graph_parts.h"

namespace gradproof {
namespace {

/// The part's steps as a graph; `made` are the values of earlier parts.
Graph part_of(const Graph& graph, const GraphPart& places) {
  Graph part;
  part.axes = graph.axes;
  for (const std::size_t k : places) part.steps.push_back(graph.steps[k]);
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(part.steps.begin(), part.steps.end(),
                       [&](const GraphStep& s) { return s.takes(name); });
  };
  for (const GraphTensor& t : graph.tensors)
    if (is_taken(t.name)) part.tensors.push_back(t);
  for (std::size_t k = 0; k < graph.steps.size(); ++k) {
    const GraphStep& s = graph.steps[k];
    const bool own = std::find(places.begin(), places.end(), k) != places.end();
    if (!own && is_taken(s.value))
      part.tensors.push_back({s.value, TensorPart::value, s.value_axes, true});
  }
  return part;
}

/// What a segment makes: outputs of the whole, and what the parts in `others` take.
void find_outputs(Segment& segment, const GraphClaim& whole, const std::vector<GraphPart>& parts) {
  Graph& graph = segment.claim.graph;
  const auto makes = [&](std::string_view value) {
    return std::any_of(graph.steps.begin(), graph.steps.end(),
                       [&](const GraphStep& s) { return s.value == value; });
  };
  for (const std::string& output : whole.graph.outputs)
    if (makes(output)) segment.outputs.push_back(output);
  for (const GraphPart& part : parts)
    for (const std::size_t k : part)
      for (const GraphOperand& o : whole.graph.steps[k].operands)
        if (!o.is_number() && !makes(whole.graph.steps[k].value) && makes(o.name) &&
            !segment.passes_on(o.name))
          segment.passed_on.push_back(o.name);
  graph.outputs = segment.outputs;
  for (const std::string& value : segment.passed_on)
    if (!has_name(graph.outputs, value)) graph.outputs.push_back(value);
}

}  // namespace

std::vector<Segment> segments_of(const GraphClaim& claim) {
  const std::vector<GraphPart> parts = graph_parts(claim.graph, claim.extents, claim.whole_numbers);
  if (parts.size() == 1) return {{claim, claim.graph.outputs, {}, {}, true}};
  std::vector<Segment> segments;
  std::map<std::string, int, std::less<>> uses;  // in how many segments a tensor is
  for (const GraphPart& part : parts) {
    Segment& s = segments.emplace_back();
    s.claim = claim;
    s.claim.graph = part_of(claim.graph, part);
    s.alone = false;
    find_outputs(s, claim, parts);
    for (const GraphTensor& t : s.claim.graph.tensors) ++uses[t.name];
  }
  for (Segment& s : segments)
    for (const GraphTensor& t : s.claim.graph.tensors)
      if (t.part == TensorPart::value || (has_gradient(t.part) && uses[t.name] > 1))
        s.gradients.insert(t.name);
  return segments;
}

}  // namespace gradproof
