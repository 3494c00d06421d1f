// SPDX-License-Identifier: Apache-2.0
#include "core/graph/operand_axes.h"

#include <algorithm>

namespace gradproof {

std::vector<std::string> axes_for(const StageOperand& place, const GraphStep& step,
                                  const std::vector<std::string>& first) {
  const auto tail = [&](std::ptrdiff_t count) {
    return std::vector<std::string>(first.end() - std::min(count, std::ssize(first)), first.end());
  };
  switch (place.axes) {
    case OperandAxes::first:
      return first;
    case OperandAxes::channel:
      return first.empty() ? first : std::vector<std::string>{first[first.size() > 1 ? 1 : 0]};
    case OperandAxes::over:
      return step.axes;
    case OperandAxes::labels:
      return {first.begin(), first.end() - 1};
    case OperandAxes::tail:
      return tail(2);
  }
  return first;
}

GraphAxis successor(const GraphStep& step, const std::string& axis) {
  const auto whole = [&](const char* key) { return static_cast<std::int64_t>(step.number(key)); };
  const std::int64_t stride = whole("stride");
  return {axis + "." + step.value, axis, whole("window"), stride > 0 ? stride : whole("window"),
          whole("padding")};
}

}  // namespace gradproof
