// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// These functions find what a line cancels by its own mathematics. They read its stages and the
/// extents of its axes, and no number. A norm that subtracts the mean removes every summand that is
/// one number for all that it normalises together; a number that is normalised alone gives 0; a sum
/// over no numbers is 0. All results hold where the tensors are finite. The functions do not see
/// every case: false means that nothing is known.

/// True if the value depends on no tensor at all.
bool is_constant(const Graph& graph, const GraphExtents& extents, std::string_view value);

/// True if the gradient of the outputs with respect to the tensor is the same number in all its
/// elements, as the gradient of a mean is.
bool gradient_is_uniform(const Graph& graph, const GraphExtents& extents, std::string_view tensor);

/// True if the gradient of the outputs with respect to the tensor is 0 whatever the cotangents are.
bool gradient_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor);

/// True if the gradient with respect to a summand of the tensor, which has these axes of it, is 0.
bool summand_vanishes(const Graph& graph, const GraphExtents& extents, std::string_view tensor,
                      const std::vector<std::string>& axes);

}  // namespace gradproof
