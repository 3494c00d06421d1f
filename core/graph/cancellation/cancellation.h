// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// What a line cancels by its own mathematics, from its stages and the extents of its axes alone:
/// no number is looked at. A norm that takes the mean off takes off whatever is one number for all
/// that it normalises together; what it normalises alone is 0; a sum over no numbers is 0. All of
/// it holds where the tensors are finite. What these functions do not see is not said: false means
/// that nothing is known.

/// Whether the value depends on no tensor at all.
bool is_constant(const Graph& graph, const GraphExtents& extents, std::string_view value);

/// Whether the gradient of the outputs with respect to the tensor is the same number in all its
/// elements: that of a mean is.
bool gradient_is_uniform(const Graph& graph, const GraphExtents& extents, std::string_view tensor);

/// Whether the gradient of the outputs with respect to the tensor is 0 whatever the cotangents are.
bool gradient_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor);

/// The same with respect to something that is added to the tensor and has those of its axes.
bool summand_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor,
                      const std::vector<std::string>& axes);

}  // namespace gradproof
