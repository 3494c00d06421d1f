// SPDX-License-Identifier: Apache-2.0
#include "core/graph/labels.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/axes/moves.h"
#include "core/graph/stages.h"

namespace gradproof {

LabelRange label_range(const Graph& graph, const GraphStep& step, const GraphExtents& extents) {
  const GraphStage& row = graph_stage(step.stage);
  if (!row.moves())
    return {extents.at(graph.axes_of(step.operands.front().name).back()), kNothingIgnored};
  const double ignored = step.number(move_options::kIgnore);
  if (step.axes.empty() && step.made.empty())
    return {static_cast<std::int64_t>(kMostWhole), ignored};
  return {extents.at(step.made.empty() ? step.axes.front() : step.made.front()), ignored};
}

LabelRange label_range(const Graph& graph, std::string_view labels, const GraphExtents& extents) {
  std::optional<LabelRange> all;
  for (const GraphStep& s : graph.steps) {
    const std::size_t k = graph_stage(s.stage).labels();
    if (k >= s.operands.size() || s.operands[k].name != labels) continue;
    const LabelRange own = label_range(graph, s, extents);
    if (!all) all = own;
    all->classes = std::min(all->classes, own.classes);
    if (all->ignored != own.ignored) all->ignored = kNothingIgnored;
  }
  if (!all) throw InstrumentError(fmt::format("no step takes the labels '{}'", labels));
  return *all;
}

void refuse_wrong_labels(std::string_view name, const Tensor& labels, const LabelRange& range) {
  for (std::int64_t i = 0; i < labels.numel(); ++i) {
    const double label = labels.at(i);
    if (label == range.ignored || (label >= 0 && label < static_cast<double>(range.classes)))
      continue;
    const bool ignores = range.ignored != kNothingIgnored;
    throw UsageError(fmt::format("label {} of '{}' at {} is no class: 0 to {}{}", label, name,
                                 index_text(labels.shape(), i), range.classes - 1,
                                 ignores ? fmt::format(", or {}", range.ignored) : ""));
  }
}

bool is_mask(const Graph& graph, std::string_view tensor) {
  bool is_found = false;
  for (const GraphStep& s : graph.steps)
    for (std::size_t k = 0; k < s.operands.size(); ++k) {
      if (s.operands[k].name != tensor) continue;
      if (!graph_stage(s.stage).operands[k].detached) return false;
      is_found = true;
    }
  return is_found;
}

void fix_masks(Graph& graph) {
  for (GraphTensor& t : graph.tensors) {
    if (!is_mask(graph, t.name)) continue;
    t.part = TensorPart::fixed;
    if (t.kind == FixedKind::filled) t.kind = FixedKind::coin;
  }
}

}  // namespace gradproof
