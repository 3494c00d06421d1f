// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// The place where a step takes something: one of its operands, or its options.
struct GraphPlace {
  static constexpr std::size_t kOptions = static_cast<std::size_t>(-1);

  std::size_t step = 0;
  std::size_t operand = 0;
};

/// True if the value depends on what stands at the place.
bool value_depends(const Graph& graph, std::string_view value, const GraphPlace& place);

/// True if the gradient of the outputs with respect to the tensor depends on what stands there. It
/// is a sum, over all paths from the tensor to an output, of products of the steps' derivatives:
/// one derivative must depend on it, by StageOperand::multiplies and StageOperand::curved.
bool gradient_depends(const Graph& graph, std::string_view tensor, const GraphPlace& place);

/// True if the gradient of the outputs with respect to the tensor takes the output's cotangent.
bool gradient_takes(const Graph& graph, std::string_view tensor, std::string_view output);

}  // namespace gradproof
