// SPDX-License-Identifier: Apache-2.0
#include "core/pipeline.h"

#include <array>

namespace gradproof {

std::string to_string(const Pipeline& pipeline) {
  constexpr std::array kNames{"Bias", "Divide", "Swish", "BatchNorm"};
  std::string text = "x";
  for (const Step& step : pipeline.steps) {
    text += step.from.empty() ? " -> " : " -> (" + step.from + ") ";
    text += kNames[static_cast<std::size_t>(step.kind)];
  }
  return text + " -> y";
}

}  // namespace gradproof
