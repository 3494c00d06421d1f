// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_fill.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/case/inputs.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/labels.h"
#include "core/graph/stages.h"
#include "core/tensor/fill.h"

namespace gradproof {
namespace {

/// The tensor as a matrix for the fills, which know rows and columns: the last axis is the columns.
Tensor as_matrix(DType dtype, const Shape& shape) {
  const std::int64_t cols = shape.empty() ? 1 : shape.back();
  return Tensor(dtype, Shape{cols > 0 ? numel(shape) / cols : 0, cols});
}

/// A tensor whose elements follow each other, in another shape of as many.
Tensor reshaped(const Tensor& from, const Shape& shape) {
  Tensor t(from.dtype(), shape);
  t.bytes() = from.bytes();
  return t;
}

bool has_own_statistics(const GraphStep& s) {
  return graph_stage(s.stage).statistics == StageStatistics::own;
}

/// The `groups` for fill(): 0, by which a unit is a column, where a graph normalises the columns of
/// a matrix; else 1, by which a unit is a row.
std::int64_t units(const Graph& graph) {
  const bool columns = std::any_of(graph.steps.begin(), graph.steps.end(), [](const GraphStep& s) {
    const bool of_channels = graph_stage(s.stage).axes == StageAxes::rest;
    return has_own_statistics(s) && of_channels && s.value_axes.size() == 2;
  });
  return columns ? 0 : 1;
}

/// One axis of a tensor, or one of the two that groups make of its channels.
struct FillAxis {
  std::int64_t extent = 1;
  std::int64_t stride = 1;  ///< in elements
  bool in_unit = false;     ///< a unit goes along it
};

/// The axes of the tensor, the last of which varies fastest; those that the norm works over lie in
/// the unit.
std::vector<FillAxis> fill_axes(const Graph& graph, const GraphStep& norm,
                                const std::vector<std::string>& names, const Shape& shape) {
  const bool grouped = graph_stage(norm.stage).axes == StageAxes::group;
  std::vector<std::string> over;
  for (const std::string& axis : norm.axes) over.push_back(root_axis(graph, axis));
  std::vector<FillAxis> axes;
  std::int64_t stride = 1;
  for (std::size_t k = names.size(); k-- > 0; stride *= shape[k]) {
    const bool in_unit = has_name(over, root_axis(graph, names[k]));
    const bool channels = grouped && in_unit && root_axis(graph, names[k]) == over.front();
    const auto said = channels ? static_cast<std::int64_t>(norm.number("groups")) : 1;
    const std::int64_t groups = shape[k] % said == 0 ? said : 1;  // refused where it is judged
    const std::int64_t extent = shape[k] / groups;
    axes.push_back({extent, stride, in_unit});
    if (groups > 1) axes.push_back({groups, stride * extent, false});
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// The places of the elements along the chosen axes, in order.
std::vector<std::int64_t> fill_places(const std::vector<FillAxis>& axes, bool in_unit) {
  std::vector<std::int64_t> found{0};
  for (const FillAxis& axis : axes) {
    if (axis.in_unit != in_unit) continue;
    std::vector<std::int64_t> longer;
    for (const std::int64_t at : found)
      for (std::int64_t i = 0; i < axis.extent; ++i) longer.push_back(at + i * axis.stride);
    found = std::move(longer);
  }
  return found;
}

/// True if the word is of a fill by units, and the units are not the rows along the last axis.
bool is_grouped(const std::vector<FillAxis>& axes, const std::string& word) {
  constexpr std::array<std::string_view, 4> kOfUnits{
      "offset:", "outlier:", "alternating:", "lone:"};
  const bool of_units =
      std::any_of(kOfUnits.begin(), kOfUnits.end(),
                  [&](std::string_view of_unit) { return word.starts_with(of_unit); });
  const auto in_unit = [](const FillAxis& axis) { return axis.in_unit; };
  const bool any = std::any_of(axes.begin(), axes.end(), in_unit);
  const bool rows =
      any && axes.back().in_unit && std::count_if(axes.begin(), axes.end(), in_unit) == 1;
  return of_units && any && !rows;
}

/// Fills each unit as a row of a matrix, and copies the row to the unit's elements.
Tensor filled_by_units(const std::vector<FillAxis>& axes, const Case& c, const Stream& stream,
                       DType type, const Shape& shape) {
  const std::vector<std::int64_t> first = fill_places(axes, false);
  const std::vector<std::int64_t> within = fill_places(axes, true);
  const auto size = static_cast<std::int64_t>(within.size());
  Tensor matrix(type, Shape{static_cast<std::int64_t>(first.size()), size});
  fill(c, stream, 1, matrix);
  Tensor t(type, shape);
  std::int64_t from = 0;
  for (const std::int64_t unit : first)
    for (const std::int64_t at : within) t.set(unit + at, matrix.at(from++));
  return t;
}

}  // namespace

std::vector<Key> graph_input_keys() {
  std::vector<Key> keys = input_keys();
  for (Key& key : keys) {
    if (key.name != "fill") continue;
    key.words.push_back("common:");
    key.samples.insert(key.samples.end(), {"common:17", "common:10000"});
  }
  return keys;
}

Tensor filled_input(const Graph& graph, const GraphTensor& tensor, const GraphExtents& extents,
                    const Case& c, DType type) {
  Shape shape;
  for (const std::string& axis : tensor.axes) shape.push_back(extents.at(axis));
  const Stream stream(seed_of(c), tensor.name);
  const std::int64_t groups = units(graph);
  const auto norm = std::find_if(graph.steps.begin(), graph.steps.end(), has_own_statistics);
  if (groups == 1 && norm != graph.steps.end() && numel(shape) > 0) {
    const std::vector<FillAxis> axes = fill_axes(graph, *norm, tensor.axes, shape);
    if (is_grouped(axes, c.text("fill"))) return filled_by_units(axes, c, stream, type, shape);
  }
  Tensor matrix = as_matrix(type, shape);
  if (matrix.numel() > 0) fill(c, stream, groups, matrix);
  return reshaped(matrix, shape);
}

Tensor filled_mask(const Graph& graph, const GraphTensor& tensor, const Shape& shape, const Case& c,
                   DType type) {
  const bool is_chosen_by = is_mask(graph, tensor.name);
  const double kept = is_chosen_by ? 1 : 0;
  const double masked = is_chosen_by ? 0 : -std::numeric_limits<double>::infinity();
  const Stream stream(seed_of(c), tensor.name);
  Tensor t(type, shape);
  const std::int64_t cols = shape.empty() ? 1 : shape.back();
  const std::int64_t rows = shape.size() > 1 ? shape[shape.size() - 2] : 1;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    const std::int64_t row = i / cols;
    const std::int64_t col = i % cols;
    const auto chosen = static_cast<std::int64_t>(stream.bits(static_cast<std::uint64_t>(row)) %
                                                  static_cast<std::uint64_t>(cols));
    const bool is_masking = tensor.kind == FixedKind::causal || tensor.kind == FixedKind::padding;
    double number = is_masking ? kept : 0;
    if (tensor.kind == FixedKind::coin)
      number = static_cast<double>(stream.bits(static_cast<std::uint64_t>(i)) & 1);
    if (tensor.kind == FixedKind::causal && col > row % rows) number = masked;
    if (tensor.kind == FixedKind::padding && col > chosen) number = masked;
    if (tensor.kind == FixedKind::onehot && col == chosen) number = 1;
    t.set(i, number);
  }
  return t;
}

Tensor filled_cotangent(const Graph& graph, const std::string& output, const Shape& shape,
                        const Case& c, const Tensors& inputs, DType type) {
  Tensor matrix = as_matrix(type, shape);
  Tensor like = matrix;
  const Tensor* first = nullptr;
  for (const GraphTensor& t : graph.tensors)
    if (first == nullptr && t.part == TensorPart::input) first = &get(inputs, t.name);
  const bool same = first != nullptr && first->shape() == shape;
  if (same)
    like = reshaped(*first, matrix.shape());
  else
    std::fill(like.bytes().begin(), like.bytes().end(), std::byte{0});
  if (matrix.numel() > 0)
    fill_cotangent(c, Stream(seed_of(c), "d" + output), units(graph), like, matrix);
  return reshaped(matrix, shape);
}

}  // namespace gradproof
