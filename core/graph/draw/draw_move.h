// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/graph/stages.h"

namespace gradproof {

/// The state of a graph that is drawn, for a step that moves numbers.
struct MoveDraw {
  std::string operand;             ///< its text
  std::vector<std::string> axes;   ///< of the operand
  std::vector<std::string> whole;  ///< axes whose extents are drawn behind the line
  std::string value;               ///< the name of the step's value
  int number = 0;                  ///< of the next tensor and axis
  std::function<std::uint64_t(std::uint64_t)> below;
};

/// A drawn step: its text, and the axes of its value.
struct DrawnMove {
  std::string text;  ///< a statement
  std::vector<std::string> axes;
  std::string extents = {};  ///< of new axes that the Case says
  std::string halved = {};   ///< the axis that must be even; empty: none
};

DrawnMove drawn_move(const GraphStage& stage, const MoveDraw& from);

}  // namespace gradproof
