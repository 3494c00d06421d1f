// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/segments.h"

#include <algorithm>
#include <cstddef>

#include "core/graph/graph_parts.h"

namespace gradproof {
namespace {

/// Finds the values that a segment makes: outputs of the whole, and values that other parts take.
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
  if (parts.size() == 1) {
    Segment whole{claim, claim.graph.outputs, {}, {}, true};
    merge_free_axes(whole.claim.graph, whole.claim.extents);
    return {whole};
  }
  std::vector<Segment> segments;
  std::map<std::string, int, std::less<>> uses;  // in how many segments a tensor is
  for (const GraphPart& part : parts) {
    Segment& s = segments.emplace_back();
    s.claim = claim;
    s.claim.graph = part_of(claim.graph, part);
    s.alone = false;
    find_outputs(s, claim, parts);
    merge_free_axes(s.claim.graph, s.claim.extents);
    for (const GraphTensor& t : s.claim.graph.tensors) ++uses[t.name];
  }
  for (Segment& s : segments)
    for (const GraphTensor& t : s.claim.graph.tensors)
      if (t.part == TensorPart::value || (has_gradient(t.part) && uses[t.name] > 1))
        s.gradients.insert(t.name);
  return segments;
}

}  // namespace gradproof
