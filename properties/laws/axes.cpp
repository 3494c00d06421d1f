// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/axes.h"

#include <algorithm>

#include "core/tensor/philox.h"

namespace gradproof {

std::vector<Axis> axes_of(const Claim& claim, const TensorSpec& spec) {
  const Shape& shape = spec.layout.shape;
  if (claim.is_matrix(spec)) return {Axis::rows, Axis::cols};
  if (spec.role == Role::output && shape.size() == 2) return {Axis::rows, Axis::groups};
  std::vector<Axis> axes(shape.size(), Axis::one);
  if (spec.dtype != DType::i64 && shape.back() == claim.cols()) axes.back() = Axis::cols;
  return axes;
}

bool has_axis(const Claim& claim, const TensorSpec& spec, Axis axis) {
  const std::vector<Axis> axes = axes_of(claim, spec);
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
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
  const std::vector<Axis> axes = axes_of(claim_, spec);
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (const auto found = places_.find(axes[d]); found != places_.end())
      shape[d] = std::ssize(found->second);
  return shape;
}

std::size_t Taking::source(const TensorSpec& spec, const Shape& shape, std::size_t index) const {
  const std::vector<Axis> axes = axes_of(claim_, spec);
  std::int64_t rest = static_cast<std::int64_t>(index);
  std::int64_t source = 0;
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::int64_t place = rest % shape[d];
    rest /= shape[d];
    if (const auto found = places_.find(axes[d]); found != places_.end())
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

Tensor blank(const TensorSpec& spec) {
  const Layout& layout = spec.layout;
  return {spec.dtype, layout.is_sparse() ? Layout::contiguous(layout.shape) : layout};
}

bool is_given(const TensorSpec& spec) {
  return spec.role != Role::output && spec.role != Role::gradient;
}

}  // namespace gradproof
