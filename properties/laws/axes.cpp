// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/axes.h"

#include <numeric>

#include "core/graph/axes/convolution.h"
#include "core/graph/stages.h"
#include "core/tensor/philox.h"

namespace gradproof {

std::string row_axis(const Claim& claim) {
  const std::vector<GraphTensor>& tensors = claim.graph.tensors;
  return tensors.empty() || tensors.front().axes.empty() ? "" : tensors.front().axes.front();
}

std::int64_t row_count(const Claim& claim) {
  const auto found = claim.extents.find(row_axis(claim));
  return found == claim.extents.end() ? 0 : found->second;
}

namespace {

/// Windows have an order, and so have channels in groups. Channels of one group are summed.
AxisUse use_of_convolution(const Graph& graph, const GraphStep& step, std::string_view axis) {
  const std::vector<std::string>& first = graph.axes_of(step.operands[0].name);
  const std::vector<std::string>& filter = graph.axes_of(step.operands[1].name);
  if (axis == first.front()) return {};
  const bool channels =
      axis == first[1] || axis == filter[0] || axis == filter[1] || axis == step.value_axes[1];
  if (!channels) {
    const bool slides =
        has_name(first, axis) || has_name(filter, axis) || has_name(step.value_axes, axis);
    return {slides, 0, slides};
  }
  const bool grouped = channel_groups(step) > 1;
  return {grouped || axis == first[1], 0, grouped};
}

}  // namespace

AxisUse use_of(const Graph& graph, const GraphStep& step, std::string_view axis) {
  const GraphStage& stage = graph_stage(step.stage);
  if (stage.form == StageForm::elementwise) return {};
  const std::vector<std::string>& taken = graph.axes_of(step.operands.front().name);
  if (stage.convolves()) return use_of_convolution(graph, step, axis);
  if (stage.moves()) {
    const bool is_moved = has_name(step.axes, axis) || has_name(step.made, axis);
    const std::size_t labels = stage.labels();
    const bool is_summed = labels < step.operands.size() && step.axes.empty() &&
                           has_name(graph.axes_of(step.operands[labels].name), axis);
    return {is_moved || is_summed, 0, is_moved};
  }
  const bool selects = stage.form == StageForm::selects;
  const bool slides = stage.form == StageForm::slides;
  const bool is_made = slides && has_name(step.value_axes, axis) && !has_name(taken, axis);
  if (!has_name(step.axes, axis) && !is_made && !(selects && has_name(taken, axis))) return {};
  AxisUse use{true, 0,
              slides || stage.form == StageForm::turns || stage.form == StageForm::scans ||
                  stage.form == StageForm::sorts};
  if (selects) use.ordered = taken.back() == axis;
  // Only the channel axis is cut into groups: the second axis, or the only one of a vector.
  const auto groups = step.options.find("groups");
  if (groups != step.options.end() && taken.at(taken.size() > 1 ? 1 : 0) == axis)
    use.groups = std::stoll(groups->second);
  return use;
}

AxisUse use_of(const Graph& graph, std::string_view axis) {
  AxisUse all;
  for (const GraphStep& step : graph.steps) {
    const AxisUse use = use_of(graph, step, axis);
    if (!use.coupled) continue;
    all.groups = !all.coupled || all.groups == use.groups ? use.groups : 0;
    all.coupled = true;
    all.ordered = all.ordered || use.ordered;
  }
  return all;
}

std::int64_t width_of_groups(const Graph& graph, std::string_view axis, std::int64_t extent) {
  std::int64_t width = extent;
  for (const GraphStep& step : graph.steps)
    if (const std::int64_t groups = use_of(graph, step, axis).groups; groups > 0)
      width = std::gcd(width, extent / groups);
  return width;
}

std::vector<std::string> axes_of_groups(const Claim& claim) {
  std::vector<std::string> axes;
  for (const GraphAxis& axis : claim.graph.axes)
    if (use_of(claim.graph, axis.name).groups > 1) axes.push_back(axis.name);
  return axes;
}

Places in_order(std::int64_t first, std::int64_t end) {
  Places places;
  for (std::int64_t i = first; i < end; ++i) places.push_back(i);
  return places;
}

Places shuffled(std::int64_t count, std::uint64_t seed) {
  Places places = in_order(0, count);
  const Stream stream(seed, "order");
  for (std::int64_t i = count - 1; i > 0; --i) {  // Fisher and Yates
    const std::uint64_t other =
        stream.bits(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(i + 1);
    std::swap(places[static_cast<std::size_t>(i)], places[other]);
  }
  return places;
}

Shape Taking::shape_of(const TensorSpec& spec) const {
  Shape shape = spec.layout.shape;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (const auto found = places_.find(spec.axes.at(d)); found != places_.end())
      shape[d] = std::ssize(found->second);
  return shape;
}

std::size_t Taking::source(const TensorSpec& spec, const Shape& shape, std::size_t index) const {
  std::int64_t rest = static_cast<std::int64_t>(index);
  std::int64_t source = 0;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::int64_t place = rest % shape[d];
    rest /= shape[d];
    if (const auto found = places_.find(spec.axes.at(d)); found != places_.end())
      place = found->second[static_cast<std::size_t>(place)];
    source += place * stride;
    stride *= spec.layout.shape[d];
  }
  return static_cast<std::size_t>(source);
}

Tensors Taking::of(const Tensors& given, const Claim& to) const {
  Tensors taken;
  for (const TensorSpec& spec : to.tensors) {
    if (!is_given(spec)) continue;
    taken.emplace(spec.name, filled(blank(spec), get(given, spec.name), claim_.tensor(spec.name)));
  }
  return taken;
}

Tensor Taking::filled(Tensor tensor, const Tensor& from, const TensorSpec& spec) const {
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    tensor.set(i, from.at(static_cast<std::int64_t>(
                      source(spec, tensor.shape(), static_cast<std::size_t>(i)))));
  return tensor;
}

Tensor Taking::of(const Tensor& result, const TensorSpec& spec) const {
  return filled(Tensor(spec.dtype, shape_of(spec)), result, spec);
}

Estimate Taking::of(const Estimate& result, const TensorSpec& spec) const {
  const Shape shape = shape_of(spec);
  return picked(result, shape, [&](std::size_t index) { return source(spec, shape, index); });
}

std::vector<std::int64_t> places_of(const TensorSpec& spec, std::int64_t index) {
  std::vector<std::int64_t> places(spec.layout.shape.size());
  for (std::size_t d = places.size(); d-- > 0;) {
    places[d] = index % spec.layout.shape[d];
    index /= spec.layout.shape[d];
  }
  return places;
}

Tensor blank(const TensorSpec& spec) {
  const Layout& layout = spec.layout;
  return {spec.dtype, layout.is_sparse() ? Layout::contiguous(layout.shape) : layout};
}

bool runs_through(const TensorSpec& spec) {
  return spec.role == Role::input || spec.role == Role::cotangent;
}

bool is_given(const TensorSpec& spec) {
  return spec.role != Role::output && spec.role != Role::gradient;
}

}  // namespace gradproof
