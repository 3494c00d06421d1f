// SPDX-License-Identifier: Apache-2.0
#include "core/claim/pipeline.h"

#include <array>

namespace gradproof {

std::string_view name_of(StageKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"Bias",  "Scale",     "Divide",
                                                   "Swish", "BatchNorm", "GroupNorm"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_string(const Pipeline& pipeline) {
  std::string text = "x";
  for (const Step& step : pipeline.steps) {
    text += step.from.empty() ? " -> " : " -> (" + step.from + ") ";
    text += name_of(step.kind);
  }
  return text + " -> y";
}

}  // namespace gradproof
