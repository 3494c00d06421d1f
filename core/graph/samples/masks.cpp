// SPDX-License-Identifier: Apache-2.0
#include "core/graph/samples/masks.h"

#include <utility>

#include "core/graph/axes/moves.h"
#include "core/graph/stages.h"

namespace gradproof {

MaskedGraph with_masks(Graph graph) {
  MaskedGraph masked;
  for (GraphStep& s : graph.steps) {
    if (!graph_stage(s.stage).moves() || kept_band(s).keeps_all()) continue;
    const std::string name = s.value + ".mask";
    masked.masks.push_back({name, s});
    graph.tensors.push_back({name, TensorPart::fixed, s.axes, true, FixedKind::filled});
    const double fill = fill_of_move(s);
    s.operands = {{name}, s.operands.front(), {"", fill}};
    s.stage = "where";
    s.axes.clear();
    s.axes_said = false;
    s.options.clear();
  }
  masked.graph = std::move(graph);
  return masked;
}

Tensor mask_of(const PlaceMask& mask, const GraphExtents& extents, DType type) {
  const std::int64_t rows = extents.at(mask.step.axes.at(0));
  const std::int64_t cols = extents.at(mask.step.axes.at(1));
  const KeptBand band = kept_band(mask.step);
  Tensor numbers(type, {rows, cols});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) numbers.set(i * cols + j, band.keeps(i, j) ? 1 : 0);
  return numbers;
}

}  // namespace gradproof
