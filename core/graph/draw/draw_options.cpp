// SPDX-License-Identifier: Apache-2.0
#include "core/graph/draw/draw_options.h"

#include <fmt/format.h>

#include "core/graph/grid.h"

namespace gradproof {

std::vector<std::string> drawn_options(const GraphStage& stage,
                                       const std::function<std::uint64_t(std::uint64_t)>& below) {
  std::vector<std::string> options;
  for (const StageOption& o : stage.options) {
    if (o.key == "groups" && !stage.convolves())
      options.emplace_back(below(2) == 0 ? "groups=2" : "groups=4");
    if (o.key == "window") options.emplace_back("window=2");
    if (o.key == kStride && o.each_axis && below(3) == 0) options.emplace_back("stride=2x1");
    if (o.key == kPadding && o.each_axis && !stage.widens && below(2) == 0)
      options.emplace_back("padding=1");
    if (o.key == "cap") options.emplace_back("cap=5");
    if (o.key == "exponent") options.emplace_back(below(2) == 0 ? "exponent=2.5" : "exponent=-0.7");
    if (o.key == "approximate" && below(2) == 0) options.emplace_back("approximate=tanh");
    if (o.key == kToType) options.push_back(fmt::format("to={}", o.words[below(o.words.size())]));
    if (o.key == "input_scale" && below(2) == 0) options.emplace_back("alpha=2, input_scale=0.5");
  }
  return options;
}

}  // namespace gradproof
