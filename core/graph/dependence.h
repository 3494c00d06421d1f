// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// Where a step takes something: one of its operands, or its options.
struct GraphPlace {
  static constexpr std::size_t kOptions = static_cast<std::size_t>(-1);

  std::size_t step = 0;
  std::size_t operand = 0;
};

/// Whether a value depends on what stands there.
bool value_depends(const Graph& graph, std::string_view value, const GraphPlace& place);

/// Whether the gradient of the outputs with respect to a tensor does. It is a sum over all ways
/// from the tensor to an output of the products of the steps' derivatives: one of them has to
/// depend on what stands there, by StageOperand::multiplies and StageOperand::curved.
bool gradient_depends(const Graph& graph, std::string_view tensor, const GraphPlace& place);

/// Whether the gradient of the outputs with respect to a tensor takes the output's cotangent.
bool gradient_takes(const Graph& graph, std::string_view tensor, std::string_view output);

}  // namespace gradproof
