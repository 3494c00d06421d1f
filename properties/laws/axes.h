// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <vector>

#include "core/claim/claim.h"
#include "properties/laws/estimate.h"

namespace gradproof {

/// What a dimension of a tensor counts. `one` is an extent of 1 that stands for all columns.
enum class Axis { one, rows, cols, groups };

/// The axis of each dimension: x is (rows, cols), a GroupNorm's mean (rows, groups), weight (cols).
std::vector<Axis> axes_of(const Claim& claim, const TensorSpec& spec);
bool has_axis(const Claim& claim, const TensorSpec& spec, Axis axis);

/// For each new place along an axis the old one; places may repeat and may be left out.
using Places = std::vector<std::int64_t>;

/// first, first + 1, ..., end - 1.
Places in_order(std::int64_t first, std::int64_t end);
/// 0, 1, ..., count - 1 in an order that depends on the seed.
Places shuffled(std::int64_t count, std::uint64_t seed);

/// Takes the places along each axis that it names; other axes stay as they are.
class Taking {
 public:
  Taking(const Claim& claim, std::map<Axis, Places> places)
      : claim_(claim), places_(std::move(places)) {}

  /// The part of all tensors that `to`, the claim about the part, is given.
  Tensors of(const Tensors& given, const Claim& to) const;
  /// The part of a result.
  Estimate of(const Estimate& result, const TensorSpec& spec) const;
  Tensor of(const Tensor& result, const TensorSpec& spec) const;

 private:
  /// The extents of what is taken, and the old row-major index of each element.
  Shape shape_of(const TensorSpec& spec) const;
  std::size_t source(const TensorSpec& spec, const Shape& shape, std::size_t index) const;
  Tensor filled(Tensor tensor, const Tensor& from, const TensorSpec& spec) const;

  Claim claim_;
  std::map<Axis, Places> places_;
};

/// An empty tensor as the host keeps one of this spec.
Tensor blank(const TensorSpec& spec);

/// Whether a kernel reads this tensor: an input, parameter, buffer or cotangent.
bool is_given(const TensorSpec& spec);

}  // namespace gradproof
