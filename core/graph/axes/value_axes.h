// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace gradproof {

/// The axes of a step's value, and those of them that the step makes.
struct ValueAxes {
  std::vector<std::string> axes;
  std::vector<GraphAxis> made = {};
  std::string fault = {};  ///< why there are none; empty where there are
};

/// `operands` has the axes of each operand, null for a number.
ValueAxes value_axes(const GraphStep& step,
                     const std::vector<const std::vector<std::string>*>& operands);

}  // namespace gradproof
