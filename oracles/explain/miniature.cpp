// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/miniature.h"

#include <algorithm>

namespace gradproof {
namespace {

using Positions = std::vector<std::int64_t>;

constexpr std::int64_t kOfUnit = 128;   ///< elements of a unit that are kept
constexpr std::int64_t kOfSummed = 32;  ///< elements of each unit of a sum over units that are kept
constexpr std::int64_t kUnits = 4;      ///< units of a sum over units that are kept

/// At most `most` of 0 ... count - 1, evenly spread, with `must` among them.
Positions chosen(std::int64_t count, std::int64_t most, std::int64_t must) {
  Positions all;
  const std::int64_t taken = std::min(count, most);
  for (std::int64_t k = 0; k < taken; ++k) all.push_back(k * count / taken);
  const auto at = std::lower_bound(all.begin(), all.end(), must);
  if (at == all.end())
    all.back() = must;
  else if (*at != must)
    *at = must;
  return all;
}

std::int64_t position_of(const Positions& positions, std::int64_t wanted) {
  return std::find(positions.begin(), positions.end(), wanted) - positions.begin();
}

/// The rows, columns and groups of a claim that are kept.
struct Cut {
  Positions rows;
  Positions cols;
  Positions groups;
};

/// The row and the column that decide an element; 0 where all rows or columns do.
struct Center {
  std::int64_t row = 0;
  std::int64_t col = 0;
  bool shared = false;
};

bool is_per_group(const Claim& claim, const TensorSpec& spec) {
  return claim.groups() > 0 && spec.role == Role::output && !claim.is_matrix(spec);
}

Center center_of(const Claim& claim, const TensorSpec& spec, std::int64_t index) {
  if (claim.is_matrix(spec)) return {index / claim.cols(), index % claim.cols(), false};
  if (is_per_group(claim, spec))
    return {index / claim.groups(), index % claim.groups() * claim.block_width(), false};
  const bool shared = numel(spec.layout.shape) == 1 && claim.cols() > 1;
  return {0, shared ? 0 : index, shared};
}

Cut cut_of(const Claim& claim, const TensorSpec& spec, const Center& at) {
  const bool channels = claim.groups() > 0;
  const bool summed =
      at.shared || (channels && spec.role == Role::gradient && !claim.is_matrix(spec));
  const std::int64_t in_unit = summed ? kOfSummed : kOfUnit;
  if (!channels)
    return {chosen(claim.rows(), in_unit, at.row),
            at.shared ? chosen(claim.cols(), kUnits, at.col) : Positions{at.col},
            {}};
  const std::int64_t width = claim.block_width();
  Cut cut{summed ? chosen(claim.rows(), kUnits, at.row) : Positions{at.row}, {}, {at.col / width}};
  for (const std::int64_t place : chosen(width, in_unit, at.col % width))
    cut.cols.push_back(at.col / width * width + place);
  return cut;
}

/// The positions that a tensor keeps on its first and its last axis; nullptr: all of them.
struct Axes {
  const Positions* first = nullptr;
  const Positions* last = nullptr;
};

Axes axes_of(const Claim& claim, const TensorSpec& spec, const Cut& cut) {
  if (claim.is_matrix(spec)) return {&cut.rows, &cut.cols};
  if (is_per_group(claim, spec)) return {&cut.rows, &cut.groups};
  const Shape& shape = spec.layout.shape;
  const bool counted = shape.empty() || spec.dtype == DType::i64;
  if (counted || claim.cols() == 1 || shape.back() != claim.cols()) return {};
  return {nullptr, &cut.cols};
}

Layout layout_of(const TensorSpec& spec, const Axes& axes) {
  Shape shape = spec.layout.shape;
  if (axes.first != nullptr) shape.front() = static_cast<std::int64_t>(axes.first->size());
  if (axes.last != nullptr) shape.back() = static_cast<std::int64_t>(axes.last->size());
  return Layout::contiguous(shape);
}

Tensor part_of(const Tensor& whole, const Axes& axes, const Layout& layout) {
  Tensor part(whole.dtype(), layout);
  const std::int64_t width = axes.last == nullptr ? 1 : layout.shape.back();
  const std::int64_t whole_width = axes.last == nullptr ? 1 : whole.shape().back();
  for (std::int64_t i = 0; i < part.numel(); ++i) {
    const auto row = static_cast<std::size_t>(i / width);
    const auto col = static_cast<std::size_t>(i % width);
    const std::int64_t from_row =
        axes.first == nullptr ? static_cast<std::int64_t>(row) : (*axes.first)[row];
    const std::int64_t from_col =
        axes.last == nullptr ? static_cast<std::int64_t>(col) : (*axes.last)[col];
    part.set(i, whole.at(from_row * whole_width + from_col));
  }
  return part;
}

/// The claim itself, without its tensors.
Claim smaller(const Claim& claim, const Cut& cut) {
  Claim small = claim;
  small.tensors.clear();
  small.extents = {{"rows", std::ssize(cut.rows)}, {"cols", std::ssize(cut.cols)}};
  small.graph = with_groups(std::move(small.graph), std::ssize(cut.groups));
  for (Reduction& reduction : small.contract.reductions)
    if (reduction.name == "shared" && reduction.length == claim.cols())
      reduction.length = small.cols();  // still over the columns' own sums
  return small;
}

}  // namespace

Miniature miniature_of(const Claim& claim, const Tensors& inputs,
                       const std::optional<GivenStatistics>& given, const TensorSpec& spec,
                       std::int64_t index) {
  const Center at = center_of(claim, spec, index);
  const Cut cut = cut_of(claim, spec, at);
  Miniature result{smaller(claim, cut), {}, std::nullopt, 0};
  for (TensorSpec part : claim.tensors) {
    const Axes axes = axes_of(claim, part, cut);
    part.layout = layout_of(part, axes);
    if (const auto found = inputs.find(part.name); found != inputs.end())
      result.inputs.emplace(part.name, part_of(found->second, axes, part.layout));
    if (given && part.name == "mean")
      result.given = GivenStatistics{part_of(given->mean, axes, part.layout),
                                     part_of(given->rstd, axes, part.layout)};
    result.claim.tensors.push_back(std::move(part));
  }
  const std::int64_t row = position_of(cut.rows, at.row);
  const std::int64_t col = position_of(cut.cols, at.col);
  if (claim.is_matrix(spec))
    result.index = row * result.claim.cols() + col;
  else if (!is_per_group(claim, spec) && !at.shared)
    result.index = col;
  return result;
}

}  // namespace gradproof
