// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "oracles/diagnosis/wrong_tensor.h"

namespace gradproof::diagnosis {

/// The output of a cotangent, or the tensor of a gradient; any other name itself.
std::string value_named(const Graph& graph, const std::string& name);

/// The axes of an input, a cotangent ("dy"), an output or a gradient; those of the graph's tensors.
std::vector<std::string> axes_named(const GraphClaim& claim, const std::string& name);

/// For each element of a shape with the axes `from`, in row-major order, its place in one with the
/// axes `to`, which are some of these.
std::vector<std::int64_t> places_between(const GraphExtents& extents,
                                         const std::vector<std::string>& from,
                                         const std::vector<std::string>& to);

/// The place in the tensor `name` of each entry of the wrong one; empty if it has an axis that the
/// wrong one lacks.
std::vector<std::int64_t> places_of(const WrongTensor& whole, const std::string& name);

/// The numbers along one axis of a tensor: element i lies at `along`(i) of `extent`.
struct Line {
  std::int64_t extent = 1;
  std::int64_t behind = 1;  ///< elements of one number along the axis

  std::int64_t along(std::int64_t i) const { return i / behind % extent; }
  /// The element at another number along the axis.
  std::int64_t moved(std::int64_t i, std::int64_t to) const { return i + (to - along(i)) * behind; }
};
Line line_along(const GraphExtents& extents, const std::vector<std::string>& axes,
                const std::string& axis);

/// A dense tensor of the same type and shape whose element i is number(i).
template <class Number>
Tensor made_of(const Tensor& like, const Number& number) {
  Tensor made(like.dtype(), like.shape());
  for (std::int64_t i = 0; i < like.numel(); ++i) made.set(i, number(i));
  return made;
}

}  // namespace gradproof::diagnosis
