// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/claim/claim.h"
#include "properties/laws/estimate.h"

namespace gradproof {

/// The axis that counts the rows: the first one of the first tensor that the graph takes. Empty:
/// that is one number.
std::string row_axis(const Claim& claim);
/// The number of rows; 0 where there is no such axis.
std::int64_t row_count(const Claim& claim);

/// The use that a graph makes of an axis.
struct AxisUse {
  bool coupled = false;     ///< a step makes a result of several places
  std::int64_t groups = 0;  ///< where all such steps take so many groups of places together
  bool ordered = false;     ///< a step sees which place is which: a window, a rotation, labels

  /// The number of places that are coupled, of so many in all.
  std::int64_t width(std::int64_t extent) const {
    return !coupled ? 1 : groups > 0 ? extent / groups : extent;
  }
};
/// The use of the axis; "groups" is the axis of what a norm saves of each group.
AxisUse use_of(const Graph& graph, std::string_view axis);
/// The use of the axis by one step alone.
AxisUse use_of(const Graph& graph, const GraphStep& step, std::string_view axis);

/// The number of neighbours along an axis that stay in one group of each step that takes groups.
std::int64_t width_of_groups(const Graph& graph, std::string_view axis, std::int64_t extent);
/// The axes whose places are coupled in several groups, and in no other way.
std::vector<std::string> axes_of_groups(const Claim& claim);

/// The old place for each new place along an axis; places may repeat and may be left out.
using Places = std::vector<std::int64_t>;
using PlacesOf = std::map<std::string, Places, std::less<>>;

/// The places first, first + 1, ..., end - 1.
Places in_order(std::int64_t first, std::int64_t end);
/// The places 0, 1, ..., count - 1 in an order that depends on the seed.
Places shuffled(std::int64_t count, std::uint64_t seed);

/// Takes the places along each axis that it names; other axes stay as they are.
class Taking {
 public:
  Taking(const Claim& claim, PlacesOf places) : claim_(claim), places_(std::move(places)) {}

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
  PlacesOf places_;
};

/// The places of an element along the axes of its tensor, in their order.
std::vector<std::int64_t> places_of(const TensorSpec& spec, std::int64_t index);

/// An empty tensor as the host keeps one of this spec.
Tensor blank(const TensorSpec& spec);

/// True for an input or a cotangent: each call has numbers of its own there.
bool runs_through(const TensorSpec& spec);

/// True if a kernel reads this tensor: an input, parameter, buffer or cotangent.
bool is_given(const TensorSpec& spec);

}  // namespace gradproof
