// SPDX-License-Identifier: Apache-2.0
#include "core/claim/pipeline.h"

#include "core/claim/stage_traits.h"

namespace gradproof {

std::string_view name_of(StageKind kind) { return traits_of(kind).name; }

std::string to_string(const Pipeline& pipeline) {
  std::string text = "x";
  for (const Step& step : pipeline.steps) {
    text += step.from.empty() ? " -> " : " -> (" + step.from + ") ";
    text += name_of(step.kind);
  }
  return text + " -> y";
}

}  // namespace gradproof
